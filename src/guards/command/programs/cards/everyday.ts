// Programs of one purpose that people have beside the system's: viewers, filters, converters, editors of one thing, queries,
// browsers.

import type { Value } from '../../effects.ts';
import { after, beginningOf, type Call, effect, write } from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { look } from '../deeds.ts';
import { factFor } from '../examples.ts';
import { family } from '../files.ts';

const viewers = family(
  `
  shows files, and what addresses have: look…
    % a .env → read a; read .env; secret .env (environment)
    % https://h.example/a → connect h.example (GET)
    % -x → nothing
`,
  `
xpdf mupdf sxiv nsxiv imv viewnior inkview meld pluma kwrite xeyes xclock xteddy xcowsay cacaview cacademo cacaclock asciiart ascii-image-converter nnn yazi nautilus nemo caja thunar dolphin mpg123 mpg321 ffplay clementine audacious qmmp mixxx lmms musescore timidity fluidsynth ncmpcpp ncspot termusic rmpc spotify_player slabtop smem tload routel nstat sockstat lsdev systool iwinfo lldpctl ntpq quota wayland-info edid-decode vkcube virt-what laptop-detect raspinfo pinout hardinfo systemd-delta efibootdump isosize lsinitcpio pacgraph paccheck pacinfo pacini pacconf pacreport vrms check-support-status ubuntu-security-status debman testparm selinuxenabled matchpathcon sesearch secon ausyscall aa-decode lastcomm from fgconsole wtf kjv rig ascii figlist showfigfonts hangman bastet nudoku nsnake greed gnugo gnuchess moon-buggy snake4 snake4scores yetris monop gomoku pipes.sh hollywood neo unimatrix lavat pokeget pridecat blahaj x_x chars rolldice roll calendar kosmorro astroterm ttyplot cointop battop tspin lazydocker kdash popeye kube-capacity rbac-lookup gitstats texdoc vimtutor pycowsay gnomon progress slop colorpicker hyprpicker zbarcam kinfocenter gnome-calculator mate-calc mate-dictionary qalculate xfce4-taskmanager vmtouch fadvise speaker-test beep dunstify notify xmessage kdialog espeak-ng speak-ng flite spd-say tzdiff hr wordgrinder mcat treemd doxx tdf baobab duc filelight qdirstat xdiskusage sntop whowatch pw-top pw-dump pw-mon pw-dot wpctl v4l2-ctl vgs lvs pvs vgdisplay lvdisplay pvdisplay vgscan lvscan pvscan aconnect xsetwacom acpi_listen ibacm ethstatus iptstate nload slurm speedometer tiptop turbostat xrestop xvinfo
xed | line= l= | line l
gource | viewport= screen= window-position= start-date= stop-date= p= start-position= stop-position= t= stop-at-time= loop-delay-seconds= a= auto-skip-seconds= s= seconds-per-day= file-idle-time-at-end= e= elasticity= b= background-colour= background-image= title= font-file= font-scale= font-size= file-font-size= dir-font-size= user-font-size= font-colour= logo= logo-offset= date-format= log-command= log-format= git-branch= follow-user= highlight-user= highlight-colour= selection-colour= filename-colour= dir-colour= dir-name-depth= dir-name-position= filename-time= file-filter= file-show-filter= user-filter= user-show-filter= user-image-dir= default-user-image= crop= padding= bloom-multiplier= bloom-intensity= max-files= max-file-lag= max-user-speed= user-friction= user-scale= camera-mode= hide= hash-seed= caption-file= caption-size= caption-colour= caption-duration= caption-offset= o= output-ppm-stream= r= output-framerate= output-custom-log= load-config= save-config= path= | viewport screen window-position start-date stop-date p start-position stop-position t stop-at-time loop-delay-seconds a auto-skip-seconds s seconds-per-day file-idle-time-at-end e elasticity b background-colour background-image title font-file font-scale font-size file-font-size dir-font-size user-font-size font-colour logo logo-offset date-format log-command log-format git-branch follow-user highlight-user highlight-colour selection-colour filename-colour dir-colour dir-name-depth dir-name-position filename-time file-filter file-show-filter user-filter user-show-filter user-image-dir default-user-image crop padding bloom-multiplier bloom-intensity max-files max-file-lag max-user-speed user-friction user-scale camera-mode hide hash-seed caption-file caption-size caption-colour caption-duration caption-offset o output-ppm-stream r output-framerate output-custom-log load-config save-config path
`,
);

const editors = family(
  `
  changes files: edit…
    % a b → write a (edit); write b (edit)
    % -x → nothing
`,
  `
optipng pngquant jpegoptim oxipng zopflipng advpng ect mat2 id3v2 eyeD3 mid3v2 metaflac jhead exiv2 exif mkvpropedit AtomicParsley unix2mac mac2unix strip-nondeterminism autoflake ruff-format add-trailing-comma reorder-python-imports unify docformatter 2to3
`,
);

const queries = family(
  `
  asks a host: ask
    % h.example b → connect h.example (lookup)
    % -x → nothing
`,
  `
kdig adig ahost acountry doggo dnstracer dnswalk dnsx tcptraceroute httping snmpget snmpwalk snmpgetnext snmpstatus snmpbulkget snmpdf snmptest ldapsearch showmount rpcinfo nmblookup avahi-browse avahi-resolve ipinfo fast speed-test speedtest-rs pystun3 stun ddgr dict wikit wikiman tuxi hn trans resolveip netselect spfquery idevicesyslog ideviceinfo idevicedate idevicename
googler | s= start= n= count= c= tld= l= lang= g= geoloc= colors= t= time= from= to= w= site= p= proxy= url-handler= | s start n count c tld l lang g geoloc colors t time from to w site p proxy url-handler
`,
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

const filtering: Fact = {
  what: 'prints what it makes of its files, unless an option names a file for that',
  effects: (call, { operands }) => [
    ...operands.flatMap((value) => look(call, value, {})),
    ...outputsOf(call).flatMap((path) => write(call, path, { detail: 'overwrite' })),
  ],
  examples: {
    hit: {
      '% a .env': 'read a; read .env; secret .env (environment)',
      '% https://h.example/a': 'connect h.example (GET)',
      '% --<out output output-file outfile>=b': 'write b (overwrite)',
      '% -<o O> ./b': 'read ./b; write ./b (overwrite)',
      '% --<out output output-file outfile> b': 'read b; write b (overwrite)',
      '% -o<./b /b ~/b b.txt>': 'write <> (overwrite)',
    },
    miss: ['%', '% -x', '% --outer=b', '% -o=b'],
  },
};

const converting: Fact = {
  what: 'makes one file of others: the one that an option names, else the last',
  effects: (call, { operands }) => {
    const named = outputsOf(call);
    const last = named.length === 0 && operands.length > 1 ? operands.slice(-1) : [];
    return [
      ...operands.slice(0, operands.length - last.length).flatMap((value) => look(call, value, {})),
      ...[...named, ...last].flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ];
  },
  examples: {
    hit: {
      '% a': 'read a',
      '% a b c': 'read a; read b; write c (overwrite)',
      '% https://h.example/a b': 'connect h.example (GET); write b (overwrite)',
      '% a --output=b': 'read a; write b (overwrite)',
    },
    miss: ['%', '% -x'],
  },
};

/** Options with which a browser starts another program or loads code of others into its pages. */
const startsOthers =
  /-cmd-prefix|-launcher|^--(?:browser-subprocess-path|load-extension|remote-debugging)|^-+(?:profile|P)$/;

const browsing: Fact = {
  what: 'opens pages, or runs a helper and code of others in them',
  effects: (call, { operands }) =>
    call.args.some((argument) => startsOthers.test(beginningOf(argument)))
      ? [effect(call, 'run', { detail: 'helper' })]
      : operands.flatMap((value) => look(call, value, {})),
  examples: {
    hit: {
      '% https://h.example/': 'connect h.example (GET)',
      '% a.html': 'read a.html',
      '% <--renderer-cmd-prefix=x --gpu-launcher=x --browser-subprocess-path=x --load-extension=x --remote-debugging-port=1 -profile --profile -P>':
        'run (helper)',
    },
    miss: ['%', '% --headless'],
  },
};

type Simple = Pick<Card, 'names'> & Partial<Card> & { readonly fact: Fact };

function card({ fact, ...given }: Simple): Card {
  const [name = ''] = given.names.split(' ');
  return { options: '', readings: {}, ...given, facts: [factFor(name, fact)] };
}

/** `netpbm` stands for the filters of that name, of which there are hundreds. */

export const cards: readonly Card[] = [
  ...viewers,
  ...editors,
  ...queries,
  card({
    names:
      'goaccess nkf unrtf recsel tsv-filter tsv-select tsv-summarize keep-header textql trdsql jc jello ajson yj prqlc ptargrep trawl tre rs ptx compseq combine zsteg readpe rabin2 ropper ROPgadget olevba pdf-parser yara rhash cfv argon2 mmdblookup exiqgrep pocount msgunfmt hledger beancount bean-query bean-report hledger-ui gvgen gvpack gvcolor ccomps bcomps acyclic dijkstra unflatten nop gv2gml gml2gv gv2gxl gxl2gv graphml2gv mm2gv edgepaint gvmap sccmap tred zipdetails zstdless xzdiff xzcmp sprof svgtopam pamfile pngcheck gifdiff jpeginfo mediainfo mkvinfo transmission-show jwt age-inspect unicode uniname sift hck csvlens csv-diff jd dyff diff-pdf diffpdf dwdiff icdiff jnv jiq faq zek llvm-cat bgpgrep ipaggmanip ipsumdump sc_warts2text sc_warts2json sc_warts2csv pg_waldump pg_walsummary pg_controldata mariadb-binlog mysqlbinlog peerindex rapper esearch elink spa-inspect spa-json-dump licensor cidr grepcidr ipcalc-ng pickle chkfont serialver jdeprscan magika trid ssdeep tlsh netpbm',
    fact: filtering,
  }),
  card({
    names: 'rich',
    fact: filtering,
    options:
      'h= head= t= tail= w= width= W= max-width= s= style= rule-style= rule-char= d= padding= a= panel= S= panel-style= theme= x= lexer= title= caption= export-html= export-svg=',
    readings: {
      valued:
        'h head t tail w width W max-width s style rule-style rule-char d padding a panel S panel-style theme x lexer title caption export-html export-svg',
    },
  }),
  card({
    names:
      'cwebp dwebp cjxl djxl cavif avifenc avifdec heif-convert pngcrush img2pdf pdfjam pdftocairo pdftoppm pdftops pdftohtml pdfseparate pdfunite pdfattach pdfdetach pdfcrop pdfbook2 pdfxup pdftk cpdf ocrmypdf weasyprint qrencode qr zint img2sixel waifu2x-ncnn-vulkan realesrgan-ncnn-vulkan lame flac opusenc opusdec oggenc oggdec speexenc reflac mp4decrypt handbrakecli HandBrakeCLI xcursorgen xmlto gladtex markdown2pdf md-to-pdf silicon freeze a2ping pstoedit ps2pdf14 eps2eps pdf2svg rsvg-convert svgexport neato fdp sfdp twopi circo osage patchwork gdal_translate gdalwarp gdal_contour gdalbuildvrt ogr2ogr osmconvert obabel meshlabserver svg-term agg gifski gocr tabula po2csv csv2po resx2po po4a-gettextize po4a-translate upx xdelta xdelta3 bsdiff bspatch flips zopfli bzip3 lrztar sqfstar mksquashfs genisoimage icotool wrestool gpgconv yui-compressor uglifyjs terser csso cleancss html-minifier svgr lebab c2rust jadx apktool aapt2 zipalign dex2jar nasm yasm pnmquantall fonttools woff2_compress woff2_decompress ttx sfnt2woff',
    fact: converting,
  }),
  card({
    names: 'assimp',
    fact: converting,
    options: 'format= texture= f= t=',
    readings: { valued: 'format texture f t' },
  }),
  card({
    names:
      'firefox-esr chromium chromium-browser google-chrome google-chrome-stable brave-browser microsoft-edge opera vivaldi qutebrowser epiphany falkon midori dillo browsh carbonyl netsurf nyxt surf',
    fact: browsing,
  }),
  card({
    names: 'firefox',
    fact: browsing,
    options:
      'display= P= profile= MOZ_LOG= MOZ_LOG_FILE= start-debugger-server= new-window= new-tab= private-window= search= allow-remote-hosts= allow-remote-origins=',
    readings: {
      valued:
        'display P profile MOZ_LOG MOZ_LOG_FILE start-debugger-server new-window new-tab private-window search allow-remote-hosts allow-remote-origins',
    },
  }),
];
