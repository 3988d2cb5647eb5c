// Words of tasks and tools: those that say nothing, those that are short for others, those that mean the same, and the shapes
// of what is a name or a value and no word.

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Words that say nothing about what a task is. */
export const empty: ReadonlySet<string> = new Set(
  words(`
    a about after all also am an and any are as at be been before but by can could did do does every for from had has
    have he her here him his how i if in into is it its just me more most my need now of on one only or other our out
    please s she should so some something somebody someone t than that the their them then there these they thing
    things this those to too up us use using very via want was we were what when where which while who will with
    would you your`),
);

/** What people write for a longer word. */
export const abbreviations: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pr: ['pull', 'request'],
    prs: ['pull', 'request'],
    mr: ['merge', 'request'],
    mrs: ['merge', 'request'],
    repo: ['repository'],
    repos: ['repository'],
    dir: ['directory'],
    dirs: ['directory'],
    db: ['database'],
    env: ['environment'],
    config: ['configuration'],
    k8s: ['kubernetes'],
    docs: ['documentation'],
    doc: ['document'],
    dm: ['direct', 'message'],
    pic: ['picture'],
    img: ['image'],
    info: ['information'],
    msg: ['message'],
    lib: ['library'],
    libs: ['library'],
    ns: ['namespace'],
    ui: ['interface'],
    js: ['javascript'],
    ts: ['typescript'],
    url: ['url'],
    pw: ['password'],
    ci: ['build', 'check', 'status'],
    lat: ['latitude'],
    lng: ['longitude'],
    lon: ['longitude'],
    cv: ['document', 'file'],
    // Commands of a shell, which people type for what they do.
    ls: ['list', 'directory'],
    cat: ['read', 'file'],
    mkdir: ['create', 'directory'],
    rm: ['delete', 'file'],
    mv: ['move', 'file'],
    cp: ['copy', 'file'],
    grep: ['search', 'text', 'file'],
    touch: ['create', 'file'],
    chmod: ['change', 'file', 'permission'],
    curl: ['fetch', 'url'],
    wget: ['download', 'url'],
    bash: ['execute', 'shell', 'command'],
    sh: ['execute', 'shell', 'command'],
    zsh: ['execute', 'shell', 'command'],
  }),
);

/** Verbs of tools that change something. */
export const changingVerbs = words(`
  add append apply archive assign attach cancel clear click close connect copy create delete deploy disable disconnect
  drag drop duplicate edit enable erase exec execute fill fork import insert install invite merge move patch post press
  publish push put remove rename replace reply reset restore run scale schedule send set start stop submit subscribe
  toggle trigger type uninstall unsubscribe update upgrade upload write`);

/** Verbs of tasks and tools that only read. */
export const readingVerbs = words(`
  browse check compare describe display explain fetch find get inspect list locate look lookup print query read retrieve
  search show summarize view`);

const text =
  /\.(?:md|txt|rst|json[lc5]?|toml|ini|cfg|conf|env|csv|tsv|xml|html?|css|log|lock|pdf|docx?|xlsx?|pptx?|zip|gz|tar|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|ipynb|key|pem)/;

/** What a name or a value in a task is by its shape, and the words that say that. The first that fits counts. */
export const shapes: readonly (readonly [shape: RegExp, words: string])[] = [
  [/\bhttps?:\/\/\S+/gi, 'website url'],
  [/(?<!\S)[\w.+-]+@[\w-]+\.[\w.-]+/g, 'email'],
  [/(?<!\S)\S*\*\S*/g, 'files matching pattern'],
  [/(?<!\S)\S+\.(?:png|jpe?g|gif|webp|bmp|svg|ico|tiff?)\b/gi, 'image file'],
  [/(?<!\S)\S+\.(?:mp3|wav|flac|ogg|m4a|aac|mp4|mov|mkv|webm|avi)\b/gi, 'audio media file'],
  [/(?<!\S)\S+\.ya?ml\b/gi, 'yaml file'],
  [new RegExp(`(?<!\\S)\\S*${text.source}\\b`, 'gi'), 'file'],
  [
    /\b(?:[\w-]+\.)+(?:com|org|net|io|dev|app|edu|gov|info|co|ai|de|fr|uk|ch|at|eu|nl|jp)\b(?:\/\S*)?/gi,
    'website url',
  ],
  [/(?<!\S)~\/?\S*/g, 'directory'],
  [/(?<!\S)\.{0,2}\/\S+/g, 'path'],
  [/(?<!\S)#\d+\b/g, 'number'],
  [/(?<!\S)#[\w-]+/g, 'channel'],
  [/(?<!\S)@[\w-]+/g, 'user'],
  [/(?<!\S):[a-z][\w+-]*:/gi, 'emoji'],
  [/-?\b\d{1,3}\.\d+\s*,\s*-?\d{1,3}\.\d+/g, 'coordinates'],
];

/** Words that say the same of what is done; one may be in several groups. */
export const deeds = grouped([
  'create add new make insert generate register introduce',
  'create open raise report start file',
  'delete remove drop erase destroy discard uninstall forget clear wipe trash purge',
  'update edit change modify set patch alter adjust revise correct fix replace rename',
  'rename move transfer relocate shift',
  'get read fetch show load view retrieve display see look inspect describe check print know tell detail give information',
  'open visit navigate go browse load',
  'list enumerate show browse which',
  'search find query lookup locate seek discover look',
  'send post publish deliver write notify tell announce say broadcast',
  'write save store put create record persist',
  'run execute start launch invoke trigger perform evaluate',
  'stop end quit terminate kill abort cancel',
  'close shut finish end resolve complete',
  'copy duplicate clone fork',
  'merge combine integrate join',
  'comment reply respond answer remark feedback note',
  'review approve assess',
  'click press tap push hit select',
  'type enter fill input write',
  'choose pick select option dropdown',
  'wait pause until delay',
  'upload attach submit',
  'download export save',
  'install deploy setup',
  'undo rollback revert restore',
  'grow increase scale resize',
  'count number total size amount many',
  'compare difference diff change',
  'connect link attach relate associate',
  'disconnect unlink detach',
  'think reason consider solve reflect plan',
  'share invite grant access permission',
  'watch monitor observe',
  'subscribe follow',
  'calculate compute sum total',
  'echo repeat',
  'move put drag',
  'append add edit write insert',
  'find contain mention include occur exist search',
  'read play listen watch',
  'scrape crawl extract fetch download',
  'schedule monitor watch remind',
  'dismiss accept close handle',
  'quit exit leave close',
  'restart rollout reload',
  'react reply',
  'describe why explain diagnose debug',
]);

/** Words that say the same of what something is done to. */
export const things = grouped([
  'message mail email chat text conversation',
  'channel room chat conversation',
  'thread reply discussion conversation',
  'repository project codebase',
  'directory folder path',
  'file document content text',
  'tree structure hierarchy nested recursive',
  'person people user member colleague teammate employee staff account profile author',
  'issue ticket bug problem defect task story',
  'pull merge request',
  'commit change revision history log',
  'website web page site url link address tab internet online',
  'screenshot picture image photo capture snapshot',
  'emoji reaction smiley thumb',
  'distance far long kilometer mile travel',
  'route direction way travel drive walk path',
  'place location spot restaurant shop cafe business',
  'coordinates latitude longitude geocode gps position',
  'elevation height altitude high',
  'address street geocode',
  'remember memory memorize knowledge fact learn',
  'observation fact note',
  'entity node item object person',
  'relation relationship connection link edge',
  'graph network',
  'tab window',
  'dialog popup alert prompt confirm',
  'console log output message error',
  'network request traffic http',
  'container pod',
  'cluster kubernetes',
  'log output',
  'library package module framework dependency',
  'documentation manual guide reference example',
  'database table sheet',
  'row record entry page',
  'block paragraph section content',
  'key keyboard keystroke shortcut',
  'mouse cursor pointer hover',
  'variable environment setting configuration',
  'javascript script code',
  'element button field widget',
  'form field input',
  'size big large resize dimension',
  'time date day when',
  'metadata stat information detail attribute property',
  'company business organization shop',
  'news article web',
  'label tag category',
  'branch version',
  'test check verify assert',
  'status state progress',
  'whole entire complete full all everything',
  'multiple several many both together batch once two three four five',
  'allow permit authorize access permission grant',
  'previous back last return earlier before history',
  'store memory remember keep save',
  'relation friend colleague relationship',
  'space size disk usage',
  'directions route car drive walk bicycle train bus transit',
  'replica scale instance copy',
  'recent latest newest last lately history activity happen event',
  'hour time open schedule',
  'sort order rank',
  'group team channel',
  'run active current live',
  'profile title job role email phone biography',
  'viewport window screen browser',
  'mark status state label',
  'picture photo image media',
  'audio sound music video media',
  'pattern glob wildcard match extension',
  'place business restaurant cafe bar bakery hotel museum doctor dentist hospital pharmacy plumber school shop station supermarket',
  'detail hour rating phone contact',
  'theme dark light mode color scheme',
  'build check pipeline status',
  'source code content file',
  'column property schema',
  'journal diary log file',
  'shell command terminal',
]);

function grouped(groups: readonly string[]): readonly (readonly string[])[] {
  return groups.map((group) => group.split(' '));
}
