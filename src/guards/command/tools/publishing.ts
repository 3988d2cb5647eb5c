// Tools of projects of which a few verbs reach others: they publish what was built, or delete what lies elsewhere.

import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  type Tool,
  type Tools,
  textOf,
  within,
  write,
} from './tool.ts';

interface Verbs {
  readonly publishes?: RegExp;
  readonly deletes?: RegExp;
  /** Changes the tables of a database. */
  readonly migrates?: RegExp;
}

/** The first words that are no options, and the options. */
function saidBy({ args }: Call): { readonly words: string; readonly flags: string } {
  const texts = args.map(beginningOf);
  const isFlag = (text: string) => text.startsWith('-');
  return {
    words: texts
      .filter((text) => !isFlag(text))
      .slice(0, 4)
      .join(' '),
    flags: texts.filter(isFlag).join(' '),
  };
}

function reaching({ publishes, deletes, migrates }: Verbs, otherwise: Tool): Tool {
  return (call) => {
    const { words, flags } = saidBy(call);
    if (/(?:^| )--(?:dry-?run|dry)\b/i.test(flags)) return inert(call, 'dry-run');
    const target = nameTarget(literal(`${call.program} ${words}`));
    if (deletes?.test(words)) return [effect(call, 'cloud', { detail: 'delete', target })];
    if (migrates?.test(words)) return [effect(call, 'database', { detail: 'write', target })];
    if (publishes?.test(words)) return [effect(call, 'deploy', { detail: 'publish', target })];
    return otherwise(call);
  };
}

/** `download` puts files of others into a folder, where one is named. */
function downloadingTo(option: string, otherwise: Tool): Tool {
  return (call) => {
    const given = options(`${option}= repo-type= revision= include= exclude= cache-dir= token=`)(call.args);
    const folder = given.last(option);
    const [verb, , ...files] = given.operands;
    if (folder === undefined || textOf(verb) !== 'download') return otherwise(call);
    const more = { detail: 'create', origins: ['network'] } as const;
    return files.length === 0
      ? write(call, folder, { ...more, recursive: true })
      : files.flatMap((file) => write(call, within(folder, file), more));
  };
}

/** A chain that is not on this machine. */
const otherChain = /^(?!localhost$|hardhat$|development$|develop$|test$|anvil$|ganache$|local$).+/;

function ofChain(deploys: RegExp, otherwise: Tool): Tool {
  return (call) => {
    const texts = call.args.map(beginningOf);
    const at = texts.indexOf('--network');
    const network =
      at < 0
        ? texts.find((text) => text.startsWith('--network='))?.slice('--network='.length)
        : texts[at + 1];
    const deploysThere = network !== undefined && otherChain.test(network) && deploys.test(texts.join(' '));
    return deploysThere
      ? [effect(call, 'deploy', { detail: 'chain', target: nameTarget(literal(network)) })]
      : otherwise(call);
  };
}

/** Models and data on a hub. */
const hub: Verbs = { publishes: /^upload\b/, deletes: /^repos? delete\b|^repo-files delete\b/ };

/** By the names of the programs; what else they do is as `otherwise` says. */
export function publishingTools(otherwise: Tool): Tools {
  const verbs: Readonly<Record<string, Verbs>> = {
    mkdocs: { publishes: /^gh-deploy\b/ },
    hugo: { publishes: /^deploy\b/ },
    hexo: { publishes: /^(?:deploy|d)(?: |$)|^g(?:enerate)? --?d/ },
    docusaurus: { publishes: /^deploy\b/ },
    ng: { publishes: /^deploy\b/ },
    ember: { publishes: /^deploy\b/ },
    quasar: { publishes: /^publish\b/ },
    ionic: { publishes: /^deploy\b/ },
    rush: { publishes: /^publish\b/ },
    buf: { publishes: /^push\b|^registry .*create/, deletes: /^(?:beta )?registry .*\bdelete\b/ },
    redocly: { publishes: /^push(?:-status)?\b/ },
    'wasm-pack': { publishes: /^publish\b/ },
    elm: { publishes: /^publish\b/ },
    spago: { publishes: /^publish\b/ },
    gleam: { publishes: /^(?:hex )?publish\b/, deletes: /^hex (?:retire|revert)\b/ },
    pio: { publishes: /^(?:package|pkg) publish\b/, deletes: /^(?:package|pkg) unpublish\b/ },
    platformio: { publishes: /^(?:package|pkg) publish\b/, deletes: /^(?:package|pkg) unpublish\b/ },
    spin: { publishes: /^(?:cloud |aka )?deploy\b|^registry push\b/, deletes: /^cloud .*\bdelete\b/ },
    fermyon: { publishes: /^deploy\b/ },
    gradio: { publishes: /^deploy\b/ },
    prefect: { publishes: /^deploy\b|^deployment (?:run|apply)\b/, deletes: /\bdelete\b/ },
    wandb: { publishes: /^(?:sync|artifact put|launch)\b/, deletes: /\b(?:rm|delete)\b/ },
    mlflow: { publishes: /^deployments (?:create|update)\b/, deletes: /\b(?:delete|gc)\b/ },
    tkn: { publishes: /\bstart\b/, deletes: /\b(?:delete|cancel)\b/ },
    celery: { deletes: /\bpurge\b/ },
    rq: { deletes: /^empty\b/ },
    drone: { publishes: /^build promote\b/, deletes: /\b(?:rm|disable)\b/ },
    'woodpecker-cli': { publishes: /^(?:deploy|pipeline deploy)\b/, deletes: /\b(?:rm|purge)\b/ },
    cast: { publishes: /^(?:send|publish)\b/ },
  };
  return {
    ...Object.fromEntries(Object.entries(verbs).map(([name, known]) => [name, reaching(known, otherwise)])),
    hf: reaching(hub, downloadingTo('local-dir', otherwise)),
    'huggingface-cli': reaching(hub, downloadingTo('local-dir', otherwise)),
    hardhat: ofChain(/\b(?:run|deploy|ignition)\b/, otherwise),
    truffle: ofChain(/\b(?:migrate|deploy|exec)\b/, otherwise),
  };
}
