// The service that starts the daemon when the user signs in, as a text: a systemd user unit or a launchd agent. Pure.

import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** What the service starts, and for which home. */
export interface ServiceParts {
  /** The home folder of the user, and that of Sallyport. */
  readonly user: string;
  readonly home: string;
  readonly node: string;
  readonly program: string;
  /** A configuration file to be read instead of the one in the home. */
  readonly config?: string;
  /** Where the daemon finds programs. */
  readonly path: string;
  /** Where systemd looks for units of the user; ~/.config unless the user moved it. */
  readonly configFolder?: string;
}

/** A service manager, and the file by which it knows the daemon. */
export interface ServiceFile {
  readonly manager: 'systemd' | 'launchd';
  /** What the manager calls it. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** The daemon of the usual home has the plain name; that of another home has a name of its own. */
function nameOf({ user, home }: ServiceParts): string {
  if (home === join(user, '.sallyport')) return 'sallyport';
  return `sallyport-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;
}

/**
 * The words that start the daemon. `--again`: a service that starts beside a daemon that runs already, or that
 * 'sallyport down' stopped, ends without an error, so that no manager tries it again and again.
 */
function wordsOf({ node, program, config }: ServiceParts): readonly string[] {
  const more = config === undefined ? [] : ['--config', config];
  return [node, program, 'up', '--again', '--log', 'info', ...more];
}

/** A unit of systemd for the user. */
export function systemdService(parts: ServiceParts): ServiceFile {
  const { user, home, path, configFolder = join(user, '.config') } = parts;
  const name = `${nameOf(parts)}.service`;
  const text = `# 'sallyport setup' writes this file; 'sallyport uninstall' removes it.
[Unit]
Description=Sallyport, the guarded door between AI agents and everything they touch

[Service]
Type=exec
ExecStart=${execLine(wordsOf(parts))}
Environment=${[`PATH=${path}`, `SALLYPORT_HOME=${home}`].map(environmentWord).join(' ')}
WorkingDirectory=${plain(home)}
Restart=on-failure
RestartSec=2
TimeoutStopSec=20
UMask=0077
LimitCORE=0

[Install]
WantedBy=default.target
`;
  return { manager: 'systemd', name, file: join(configFolder, 'systemd', 'user', name), text };
}

/** No specifier of systemd is meant. */
function plain(word: string): string {
  return word.replaceAll('%', '%%');
}

/** The words of ExecStart: quoted where they have blanks, no specifier, and no variable; in a program there is none. */
export function execLine([program = '', ...words]: readonly string[]): string {
  return [plain(program), ...words.map((word) => plain(word).replaceAll('$', '$$$$'))]
    .map((word) => (/[\s"'\\;]/.test(word) ? quoted(word) : word))
    .join(' ');
}

/** An assignment of Environment, where a dollar sign means itself. */
function environmentWord(assignment: string): string {
  return quoted(plain(assignment));
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** An agent of launchd for the user. */
export function launchdService(parts: ServiceParts): ServiceFile {
  const { user, home, path } = parts;
  const name = `dev.sallyport.${nameOf(parts)}`;
  const log = join(home, 'run', 'daemon.log');
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- 'sallyport setup' writes this file; 'sallyport uninstall' removes it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(name)}</string>
  <key>ProgramArguments</key>
  <array>
${wordsOf(parts)
  .map((word) => `    <string>${xml(word)}</string>`)
  .join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(path)}</string>
    <key>SALLYPORT_HOME</key>
    <string>${xml(home)}</string>
  </dict>
  <key>WorkingDirectory</key>
  <string>${xml(home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>${xml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
  return { manager: 'launchd', name, file: join(user, 'Library', 'LaunchAgents', `${name}.plist`), text };
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
