// Programs of one purpose that people have beside the system's: viewers, filters, converters, queries, and those that
// are told by a verb what to do.

import type { Effect, Value } from '../effects.ts';
import {
  after,
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  orInert,
  read,
  type Tool,
  textOf,
  write,
} from './tool.ts';

const isOption = (value: Value): boolean => beginningOf(value).startsWith('-');
const operandsOf = ({ args }: Call): readonly Value[] => args.filter((argument) => !isOption(argument));

const isAddress = (value: Value): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(beginningOf(value));

/** Reads a file, or asks the host of an address. */
function look(call: Call, value: Value): readonly Effect[] {
  return isAddress(value)
    ? [effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(value)) })]
    : read(call, value);
}

/** Shows what it is given. */
const shows: Tool = (call) =>
  orInert(
    call,
    operandsOf(call).flatMap((value) => look(call, value)),
  );

const outputOption = /^(?:-o|-O|--out|--output|--output-file|--outfile)$/;
const attachedOutput = /^(?:--(?:out|output|output-file|outfile)=|-o(?=[/~.\w]))/;

/** What options name as the file to write. */
function outputsOf({ args }: Call): readonly Value[] {
  return args.flatMap((argument, index) => {
    const text = beginningOf(argument);
    if (outputOption.test(text)) return args.slice(index + 1, index + 2);
    const attached = attachedOutput.exec(text)?.[0];
    return attached === undefined ? [] : [after(argument, attached.length)];
  });
}

/** Prints what it makes of its files, unless an option names a file for that. */
const filters: Tool = (call) =>
  orInert(call, [
    ...operandsOf(call).flatMap((value) => look(call, value)),
    ...outputsOf(call).flatMap((path) => write(call, path, { detail: 'overwrite' })),
  ]);

/** Makes one file of others: the one that an option names, else the last. */
const converts: Tool = (call) => {
  const named = outputsOf(call);
  const operands = operandsOf(call);
  const last = named.length === 0 && operands.length > 1 ? operands.slice(-1) : [];
  return orInert(call, [
    ...operands.slice(0, operands.length - last.length).flatMap((value) => look(call, value)),
    ...[...named, ...last].flatMap((path) => write(call, path, { detail: 'overwrite' })),
  ]);
};

/** Changes each file that it is given. */
const edits: Tool = (call) =>
  orInert(
    call,
    operandsOf(call).flatMap((path) => write(call, path, { detail: 'edit' })),
  );

/** Asks hosts for names, addresses and what they are. */
const asks: Tool = (call) =>
  orInert(
    call,
    operandsOf(call)
      .slice(0, 1)
      .map((host) => effect(call, 'connect', { detail: 'lookup', target: hostTarget(hostOf(host)) })),
  );

/** Options with which a browser starts another program or loads code of others into its pages. */
const startsOthers =
  /-cmd-prefix|-launcher|^--(?:browser-subprocess-path|load-extension|remote-debugging)|^-+(?:profile|P)$/;

/** Opens pages. */
const browses: Tool = (call) =>
  call.args.some((argument) => startsOthers.test(beginningOf(argument)))
    ? [effect(call, 'run', { detail: 'helper' })]
    : shows(call);

/** Verbs with which a program only tells, in the words that such programs have in common. */
const tellingVerbs =
  /^(?:help|version|list|ls|list-[\w-]+|ls-[\w-]+|show|show-[\w-]+|status|info|search|find|query|get|get-[\w-]+|describe|describe-[\w-]+|view|cat|print|dump|check|validate|verify|lint|test|doctor|diff|log|logs|logcat|history|whoami|which|where|inspect|stats?|stat|top|ps|env|tree|depends|deps|outdated|devices|capabilities|balance|bal|register|reg|accounts|print-[\w-]+|who|whatprovides|provides|owner|files|completion|shell-completion|--list|--version|--help|-h|-V|-l)$/;

/** Words that are no verb, so that the verb follows. */
const nouns =
  /^(?:[a-z]+s|config|cache|remote|repo|image|volume|network|plugin|session|model|profile|env|context|node|key|user)$/;

/** Is told by a verb what to do; what it does besides telling is not known here. */
const verbs: Tool = (call) => {
  const operands = operandsOf(call);
  const words = operands.map((value) => textOf(value) ?? '');
  const [first = '', second = ''] = words;
  const flag = textOf(call.args[0] ?? literal('')) ?? '';
  const tells =
    call.args.length === 0 ||
    tellingVerbs.test(words.length === 0 ? flag : first) ||
    // A noun and a verb alone: `volume ls`.
    (words.length === 2 && nouns.test(first) && /^(?:list|ls|show|status|info)$/.test(second));
  if (tells)
    return orInert(
      call,
      operands.filter((value) => beginningOf(value).includes('/')).flatMap((path) => look(call, path)),
    );
  return [effect(call, 'run', { detail: 'verb', target: nameTarget(literal(`${call.program} ${first}`)) })];
};

const shown =
  'xpdf mupdf sxiv nsxiv imv viewnior inkview meld xed pluma kwrite xeyes xclock xteddy xcowsay cacaview cacademo cacaclock asciiart ascii-image-converter nnn yazi nautilus nemo caja thunar dolphin mpg123 mpg321 ffplay clementine audacious qmmp mixxx lmms musescore timidity fluidsynth ncmpcpp ncspot termusic rmpc spotify_player slabtop smem tload routel nstat sockstat lsdev systool iwinfo lldpctl ntpq quota wayland-info edid-decode vkcube virt-what laptop-detect raspinfo pinout hardinfo systemd-delta efibootdump isosize lsinitcpio pacgraph paccheck pacinfo pacini pacconf pacreport vrms check-support-status ubuntu-security-status debman testparm selinuxenabled matchpathcon sesearch secon ausyscall aa-decode lastcomm from userdbctl fgconsole wtf kjv rig ascii figlist showfigfonts hangman bastet nudoku nsnake greed gnugo gnuchess moon-buggy snake4 snake4scores yetris monop gomoku pipes.sh hollywood neo unimatrix lavat pokeget pridecat blahaj x_x chars rolldice roll calendar kosmorro astroterm ttyplot cointop battop tspin lazydocker kdash popeye kube-capacity rbac-lookup gource gitstats onefetch texdoc vimtutor pycowsay cmatrix gnomon progress slop colorpicker hyprpicker zbarcam kinfocenter gnome-calculator mate-calc mate-dictionary qalculate xfce4-taskmanager vmtouch fadvise speaker-test beep dunstify notify xmessage kdialog espeak-ng speak-ng flite say spd-say cal tzdiff hr wordgrinder mdp glow mcat treemd doxx tdf baobab duc filelight qdirstat xdiskusage sntop whowatch pinky lslogins pw-top pw-dump pw-mon pw-dot wpctl v4l2-ctl vgs lvs pvs vgdisplay lvdisplay pvdisplay vgscan lvscan pvscan aconnect xinput xsetwacom acpi_listen ibacm ethstatus iptstate nload slurm speedometer tiptop turbostat xrestop wmctrl xvinfo';
const filtering =
  'goaccess nkf unrtf recsel tsv-filter tsv-select tsv-summarize keep-header textql trdsql q jc jello ajson gron yj prqlc rich ptargrep trawl tre rs ptx compseq combine zsteg readpe rabin2 ropper ROPgadget olevba pdf-parser yara rhash cfv argon2 mmdblookup exiqgrep pocount msgunfmt hledger beancount bean-query bean-report hledger-ui gvgen gvpack gvcolor ccomps bcomps acyclic dijkstra unflatten nop gv2gml gml2gv gv2gxl gxl2gv graphml2gv mm2gv edgepaint gvmap sccmap tred zipdetails zstdless xzdiff xzcmp sprof svgtopam pamfile pngcheck gifdiff jpeginfo mediainfo mkvinfo transmission-show jwt age-inspect numfmt unicode uniname sift hck csvlens csv-diff jd dyff diff-pdf diffpdf dwdiff icdiff jnv jiq htmlq faq zek llvm-cat bgpgrep ipaggmanip ipsumdump sc_warts2text sc_warts2json sc_warts2csv pg_waldump pg_walsummary pg_controldata mariadb-binlog mysqlbinlog peerindex rapper esearch elink spa-inspect spa-json-dump licensor cidr grepcidr ipcalc-ng pickle chkfont serialver jdeprscan ident magika trid ssdeep tlsh';
const converting =
  'cwebp dwebp cjxl djxl cavif avifenc avifdec heif-convert pngcrush img2pdf pdfjam pdftocairo pdftoppm pdftops pdftohtml pdfseparate pdfunite pdfattach pdfdetach pdfcrop pdfbook2 pdfxup pdftk cpdf ocrmypdf weasyprint qrencode qr zint img2sixel waifu2x-ncnn-vulkan realesrgan-ncnn-vulkan lame flac opusenc opusdec oggenc oggdec speexenc reflac mp4decrypt handbrakecli HandBrakeCLI xcursorgen xmlto gladtex markdown2pdf md-to-pdf silicon freeze a2ping pstoedit ps2pdf14 eps2eps pdf2svg rsvg-convert svgexport neato fdp sfdp twopi circo osage patchwork gdal_translate gdalwarp gdal_contour gdalbuildvrt ogr2ogr osmconvert assimp obabel meshlabserver svg-term agg gifski gocr tabula po2csv csv2po resx2po po4a-gettextize po4a-translate upx xdelta xdelta3 bsdiff bspatch flips zopfli bzip3 lrztar sqfstar mksquashfs mkisofs genisoimage icotool wrestool gpgconv yui-compressor uglifyjs terser csso cleancss html-minifier svgr lebab c2rust jadx apktool aapt2 zipalign dex2jar nasm yasm wat2wasm pnmquantall fonttools woff2_compress woff2_decompress ttx sfnt2woff';
const editing =
  'optipng pngquant jpegoptim oxipng zopflipng advpng ect mat2 id3v2 eyeD3 mid3v2 metaflac jhead exiv2 exif mkvpropedit AtomicParsley unix2mac mac2unix strip-nondeterminism autoflake ruff-format add-trailing-comma reorder-python-imports unify docformatter 2to3';
const asking =
  'kdig adig ahost acountry doggo dnstracer dnswalk dnsx tcptraceroute httping snmpget snmpwalk snmpgetnext snmpstatus snmpbulkget snmpdf snmptest ldapsearch showmount rpcinfo nmblookup avahi-browse avahi-resolve ipinfo fast speed-test speedtest-rs pystun3 stun ddgr googler dict wikit wikiman tuxi hn trans resolveip netselect spfquery idevicesyslog ideviceinfo idevicedate idevicename';
const browsing =
  'firefox firefox-esr chromium chromium-browser google-chrome google-chrome-stable brave-browser microsoft-edge opera vivaldi qutebrowser epiphany falkon midori dillo browsh carbonyl elinks links netsurf nyxt surf';
const told =
  'apptainer singularity tlmgr pueue yadm vcsh adb fastboot koji dolt kaggle ykman ykinfo zapier pixi b4 tmt makoctl dunstctl swaync-client pkgctl nh gcrane eselect fossil bundletool fvm goenv plenv nodenv exenv jenv phpenv perlbrew ghcup kerl evm asdf mise proto jbang cs sdk ollama llm mods fabric aichat timew watson jrnl nb dnote buku todo.sh todo topydo todoist taskwarrior khal khard vdirsyncer notmuch mu offlineimap abook calibredb beet quarto marimo rpk kafkactl pulsarctl rabbitmq-diagnostics rabbitmq-queues rabbitmq-streams rabbitmq-plugins birdc vtysh cephadm ceph gnmic promtool amtool logcli loki tempo-cli thanos k8sec kubetail kubie kompose vcluster talosctl fluxctl linkerd istioctl cmctl velero kn tilt ko crane regctl oras rekor-cli snapper virsh virt-xml qm pct pvesm pvesh pveum pveam pvecm lxc-top multipass limactl colima quickget quickemu waydroid lutris heroic protontricks winetricks fwupdmgr fwupdtool bluetoothctl iwctl mullvad protonvpn piactl mozillavpn ivpn warp-cli openvpn3 zerotier-cli headscale netbird kscreen-doctor xfconf-query gnome-extensions kreadconfig5 kreadconfig6 homectl portablectl machinectl networkctl resolvectl updatectl userdbctl sbctl mokutil bootc rpm-ostree ostree abroot transactional-update copr-cli osc rpmdev-vercmp xbps-query eix equo guix home-manager luarocks raco haxelib nimble shards alr elm-json rebar3 lux pkl cue sqsc p4 cvs gitlab gitea tea hut fj gh-dash gitmoji quilt stg topgit';

const classes: readonly (readonly [string, Tool])[] = [
  [shown, shows],
  [filtering, filters],
  [converting, converts],
  [editing, edits],
  [asking, asks],
  [browsing, browses],
  [told, verbs],
];

let tools: ReadonlyMap<string, Tool> | undefined;

/** The programs by their names; the table is made when a program is first looked for that nobody else knows. */
export function everydayTools(): ReadonlyMap<string, Tool> {
  tools ??= new Map(
    classes.flatMap(([words, tool]) => words.split(' ').map((word) => [word, tool] as const)),
  );
  return tools;
}

/** The filters of Netpbm, of which there are hundreds: they print one picture as another. */
const netpbm = /^(?:pbm|pgm|ppm|pnm)[a-z\d]{2,}$|^[a-z\d]{2,}to(?:pbm|pgm|ppm|pnm|pam)$|^pamto[a-z]+$/;

/** The tool of a program that belongs to a family by the form of its name. */
export function everydayFamily(program: string): Tool | undefined {
  return netpbm.test(program) ? filters : undefined;
}
