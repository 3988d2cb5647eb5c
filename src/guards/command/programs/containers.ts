// What engines of containers, compose and clusters have in common: containers, what they are given of the host, and what runs in them.

import type { Inner } from '../bash/executors/inner.ts';
import { mapWithHoles, singleText, type Text } from '../bash/values.ts';
import type { Effect, Origin, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  holdsSecrets,
  landingPlace,
  literal,
  type More,
  mapValue,
  nameTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../tools/tool.ts';
import { type Given, textWords } from './card.ts';
import { readOptions } from './options.ts';

/** The same effect on each container, or on one that is not named. */
export function container(
  call: Call,
  detail: string,
  names: readonly Value[] = [],
  more: More = {},
): readonly Effect[] {
  return (names.length > 0 ? names.slice(0, 16) : [undefined]).map((name) =>
    effect(call, 'container', { detail, target: nameTarget(name), ...more }),
  );
}

/** An image, a chart or a service that others get. */
export function deploy(call: Call, detail: string, name?: Value, more: More = {}): Effect {
  return effect(call, 'deploy', { detail, target: nameTarget(name), ...more });
}

/** `docker cp` and `kubectl cp`: one side has a colon. */
export function copyAcross(call: Call, { operands }: Given<Value>): readonly Effect[] {
  const [source, destination] = operands;
  const outside = (value: Value | undefined): readonly Value[] =>
    value === undefined || /^[^/.~][^/]*(?:\/[^/:]+)?:/.test(beginningOf(value)) ? [] : [value];
  // A cluster is elsewhere; a container of an engine is here.
  const origins: readonly Origin[] = /^(?:kubectl|oc|k)$/.test(call.program) ? ['network'] : [];
  return [
    ...outside(source).flatMap((path) => read(call, path, { recursive: true })),
    ...outside(destination).flatMap((path) =>
      write(call, landingPlace(call, source ?? unknownValue, path, false), {
        detail: 'copy',
        recursive: true,
        origins,
      }),
    ),
    ...shown(call, source, destination),
    ...container(call, 'copy'),
  ];
}

/** A secret file of a container that is printed. */
function shown(call: Call, source: Value | undefined, destination: Value | undefined): readonly Effect[] {
  if (source === undefined || textOf(destination) !== '-') return [];
  const path = mapValue(source, (text) => text.replace(/^[^/:]+(?:\/[^/:]+)?:/, ''));
  return holdsSecrets(call, path)
    ? [effect(call, 'secret', { detail: 'environment', target: nameTarget(source) })]
    : [];
}

// ── What a container is given of the host.

const capabilities =
  /^(?:ALL|(?:CAP_)?(?:SYS_ADMIN|SYS_PTRACE|SYS_MODULE|DAC_READ_SEARCH|DAC_OVERRIDE|NET_ADMIN|SYS_RAWIO|BPF))$/i;

/** Folders of the host that are the host, and sockets of engines. */
const hostFolders =
  /^\/+\.?$|^\/(?:etc|root|home|proc|sys|dev|boot|var|usr|lib|bin|sbin|Users)\/?$|(?:docker|containerd|podman|crio)\.sock|^\/var\/(?:lib|run)\/(?:docker|kubelet)/;

/** The rights over the host that options give to a container. */
function rights(given: Given<Value>): readonly string[] {
  const shared = ['pid', 'ipc', 'uts', 'userns', 'cgroupns'].filter((name) =>
    given.all(name).some((value) => textOf(value) === 'host'),
  );
  return [
    ...(given.has('privileged') && textOf(given.last('privileged')) !== 'false' ? ['privileged'] : []),
    ...given
      .all('cap-add')
      .filter((one) => one.kind === 'unknown' || capabilities.test(beginningOf(one)))
      .map((one) => `cap-add ${beginningOf(one)}`),
    ...shared.map((name) => `${name} host`),
    ...given
      .all('security-opt')
      .map(beginningOf)
      .filter((option) => /unconfined|no-new-privileges[:=]false|label[:=]disable/.test(option)),
    ...given.all('device').map((device) => `device ${beginningOf(device)}`),
  ];
}

/** The folders of the host that options put into a container. */
function hostPlaces(given: Given<Value>): readonly { readonly path: string; readonly readOnly: boolean }[] {
  const mounts = given.all('mount').filter((mount) => /type=bind|(?:source|src)=\//.test(beginningOf(mount)));
  const volumes = given.all('volume').filter((volume) => beginningOf(volume).includes(':'));
  return [...volumes, ...mounts]
    .map(beginningOf)
    .map((text) => ({
      path: /(?:source|src)=([^,]*)/.exec(text)?.[1] ?? text.split(':', 1)[0] ?? '',
      readOnly: /:ro(?:,|$)|readonly/.test(text),
    }))
    .filter(({ path }) => /^[/.~]/.test(path));
}

/** What a container is given of the host: the whole file system, its devices, its processes, the engine itself. */
export function reach(call: Call, given: Given<Value>): readonly Effect[] {
  const privileged = (what: string): Effect =>
    effect(call, 'container', { detail: 'privileged', target: nameTarget(literal(what)) });
  return [
    ...rights(given).map(privileged),
    ...hostPlaces(given).flatMap(({ path, readOnly }) => [
      ...(hostFolders.test(path) ? [privileged(`mount ${path}`)] : []),
      ...(readOnly
        ? read(call, literal(path), { recursive: true })
        : write(call, literal(path), { detail: 'mount', recursive: true })),
    ]),
    ...given.all('env-file').flatMap((file) => read(call, file)),
  ];
}

// ── What runs in a container.

/** Where a folder of the host is in a container. */
interface Mount {
  readonly source: string;
  readonly target: string;
}

const mostMounts = 16;

/** The folders that options put into a container, the deepest first. */
function mountsIn(given: Given<Text>): readonly Mount[] {
  const part = (text: string, keys: string) => new RegExp(`(?:^|,)(?:${keys})=([^,]*)`).exec(text)?.[1] ?? '';
  const mounts = [
    ...given
      .all('mount')
      .map(singleText)
      .map((text) => [part(text, 'source|src'), part(text, 'target|dst|destination')]),
    ...given
      .all('volume')
      .map(singleText)
      .map((text) => text.split(':')),
  ].flatMap(([source = '', target = '']): readonly Mount[] =>
    // What is no path is the name of a volume.
    /^[/.~]/.test(source) && /^\/./.test(target) ? [{ source, target: target.replace(/\/$/, '') }] : [],
  );
  return mounts.sort((one, other) => other.target.length - one.target.length).slice(0, mostMounts);
}

/** A word for a program in a container, with the places of the host that it names there. */
function onHost(word: Text, mounts: readonly Mount[]): Text {
  return mapWithHoles(word, (text) =>
    mounts.reduce((changed, { source, target }) => {
      const plain = target.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const named = new RegExp(`(?<=^|[\\s"'=;&|(<>])${plain}(?=$|[/\\s"';&|)])`, 'g');
      return changed.replace(named, () => source);
    }, text),
  );
}

/** The words behind the container or the image, or behind two dashes; `options` are those that may also stand there. */
export function inContainer(given: Given<Text>, options: string): readonly Inner[] {
  const { operands, behindDashes = [] } = given;
  const dashes = operands.findIndex((word) => singleText(word) === '--');
  const marked = dashes >= 0 || (behindDashes.length > 0 && behindDashes.length < operands.length);
  const behind = dashes >= 0 ? operands.slice(dashes + 1) : marked ? behindDashes : operands.slice(1);
  const entry = given.last('entrypoint');
  const argv = entry === undefined ? behind : [entry, ...behind];
  const program = marked ? argv : readOptions(options, { stopAtOperand: true }, argv, textWords).operands;
  const mounts = mountsIn(given);
  return program.length === 0 ? [] : [{ kind: 'argv', argv: program.map((word) => onHost(word, mounts)) }];
}
