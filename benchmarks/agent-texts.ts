// npm run eval:texts -- FOLDER: fetches what coding agents read every day: READMEs, AGENTS.md, CLAUDE.md, SKILL.md, rules and
// prompts of npm packages, and the documents of this machine. `npm run eval prompt -- --texts FOLDER` judges them. By name,
// through npm; nothing of them becomes part of the repository.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const scoped = (scope: string, names: string): readonly string[] =>
  words(names).map((name) => `@${scope}/${name}`);

function words(names: string): readonly string[] {
  return names.trim().split(/\s+/);
}

const packages: readonly string[] = [
  // Agents, their tools, skills and rules.
  ...words(`
    ai langchain openai llamaindex ollama promptfoo autoevals braintrust langfuse langsmith mastra genkit
    claude-flow bmad-method task-master-ai openskills claude-code-templates ccusage ruflo opencode-ai
    n8n-mcp shadcn convex cursor-rules ruler agentic-flow skills add-skill claude-code-router repomix
    mcp-remote mcp-framework fastmcp mcp-proxy supergateway inngest trigger.dev e2b browser-use stagehand
    chrome-devtools-mcp firecrawl-mcp context7 tavily-mcp exa-mcp-server codemcp serena superclaude
    get-shit-done-cc spec-workflow-mcp oh-my-opencode claude-code-action gitmcp vibe-tools vibe-kanban
    humanlayer opencommit aicommits codebuff continue cline aider roo-code plandex gptme smithery
    claude-mem beads-mcp agentdb agent-browser rulesync intellectronica agentsmd symlink-agents
    prompt-sync promptl-ai botframework-schema botpress rasa-sdk wechaty`),
  ...scoped('anthropic-ai', 'sdk claude-agent-sdk mcpb tokenizer bedrock-sdk vertex-sdk'),
  ...scoped('openai', 'agents agents-core codex guardrails apps-sdk-ui chatkit'),
  ...scoped('google', 'gemini-cli gemini-cli-core genai generative-ai adk clasp'),
  ...scoped(
    'modelcontextprotocol',
    'sdk inspector server-filesystem server-memory server-everything create-server',
  ),
  ...scoped('langchain', 'core community openai anthropic langgraph mcp-adapters textsplitters'),
  ...scoped('ai-sdk', 'openai anthropic google react provider vue gateway mcp'),
  ...scoped('mastra', 'core mcp mcp-docs-server memory rag evals deployer'),
  ...scoped(
    'tanstack',
    'react-query react-router react-table react-start db react-form router-core intent ai cli store',
  ),
  ...scoped('fission-ai', 'openspec'),
  ...scoped('github', 'copilot copilot-sdk spark'),
  ...scoped('sentry', 'node browser react cli mcp-server'),
  ...scoped('playwright', 'mcp test cli'),
  ...scoped('upstash', 'context7-mcp redis ratelimit'),
  ...scoped('copilotkit', 'react-core runtime sdk-js'),
  ...scoped('vercel', 'sdk og analytics mcp-adapter agent-eval'),
  ...scoped('cloudflare', 'agents workers-types ai-chat vitest-pool-workers'),
  ...scoped('nx', 'js workspace react nx-mcp'),
  ...scoped('storybook', 'react addon-docs addon-mcp mcp'),
  ...scoped('supabase', 'supabase-js mcp-server-supabase ssr'),
  ...scoped('stripe', 'mcp agent-toolkit stripe-js'),
  ...scoped('azure', 'openai identity mcp storage-blob'),
  ...scoped('clerk', 'nextjs mcp-tools backend'),
  ...scoped('prisma', 'client engines'),
  ...scoped('angular', 'cli core'),
  ...scoped('expo', 'cli ui mcp-tunnel'),
  ...scoped('elevenlabs', 'elevenlabs-js cli'),
  ...scoped('composio', 'core mcp'),
  ...scoped('e2b', 'code-interpreter cli'),
  ...scoped('browserbasehq', 'stagehand mcp-server-browserbase'),
  ...scoped('heroku', 'mcp-server'),
  ...scoped('notionhq', 'client notion-mcp-server'),
  ...scoped('agentclientprotocol', 'sdk'),
  ...scoped('zed-industries', 'claude-code-acp'),
  ...scoped('letta-ai', 'letta-client letta-code'),
  ...scoped('posthog', 'ai wizard agent'),
  ...scoped('sourcegraph', 'amp'),
  ...scoped('qwen-code', 'qwen-code'),
  ...scoped('factory', 'cli'),
  ...scoped('just-every', 'code mcp-read-website-fast'),
  ...scoped('wong2', 'mcp-cli'),
  ...scoped('effect', 'ai platform schema'),
  ...scoped('electric-sql', 'client react pglite'),
  ...scoped('shopify', 'dev-mcp cli hydrogen'),
  ...scoped('remotion', 'cli skills mcp'),
  ...scoped('better-auth', 'cli'),
  ...scoped('intlayer', 'mcp core'),
  ...scoped('vue', 'reactivity language-core'),
  ...scoped('nuxt', 'kit ui devtools content'),
  // What programs are made of.
  ...words(`
    react react-dom vue svelte solid-js preact next nuxt astro remix gatsby vite webpack rollup esbuild parcel turbo
    express fastify koa hono h3 nitropack @hapi/hapi @nestjs/core @nestjs/common socket.io ws undici axios got ky
    node-fetch superagent request lodash underscore ramda rxjs immer zustand jotai redux mobx valtio recoil xstate
    typescript ts-node tsx tsup @babel/core @swc/core prettier eslint oxlint stylelint husky lint-staged commitlint
    jest vitest mocha chai sinon ava tap jasmine cypress playwright puppeteer webdriverio nightwatch
    commander yargs minimist inquirer prompts ora chalk kleur picocolors debug pino winston bunyan dotenv
    glob fast-glob micromatch chokidar fs-extra rimraf mkdirp execa cross-env concurrently nodemon pm2 zx
    mongoose mongodb pg mysql2 sqlite3 better-sqlite3 redis ioredis knex sequelize typeorm drizzle-orm kysely
    prisma graphql apollo-server @apollo/client urql graphql-request type-graphql nexus
    jsonwebtoken jose passport bcrypt bcryptjs argon2 helmet cors cookie-parser express-session csurf
    zod joi yup ajv valibot superstruct io-ts class-validator arktype
    date-fns dayjs luxon moment uuid nanoid ulid validator qs query-string cheerio jsdom marked markdown-it remark
    handlebars mustache ejs pug nunjucks sharp jimp pdfkit pdf-lib xlsx papaparse csv-parse
    aws-sdk @aws-sdk/client-s3 firebase firebase-admin stripe twilio nodemailer @sendgrid/mail @slack/bolt
    @octokit/rest discord.js telegraf three d3 chart.js echarts leaflet mapbox-gl p5 pixi.js
    tailwindcss postcss autoprefixer sass less styled-components @emotion/react bootstrap bulma
    @mui/material antd @chakra-ui/react @radix-ui/react-dialog react-hook-form formik react-router
    swiper framer-motion gsap lottie-web i18next react-i18next vue-i18n storybook lerna nx changesets
    semver bluebird async p-limit p-queue bull bullmq agenda cron node-cron kafkajs amqplib mqtt
    electron nw tauri expo react-native ionic cordova wrangler serverless netlify-cli vercel
    hardhat ethers web3 viem wagmi snarkjs tree-sitter acorn esprima espree recast jscodeshift ts-morph
    body-parser morgan compression multer formidable busboy mime iconv-lite bson long big.js bignumber.js
    decimal.js mathjs numeral accounting currency.js color tinycolor2 culori classnames clsx`),
  ...words(`
    agents-cli ai-rules agentkit llm-cost tokenlens gpt-tokenizer tiktoken js-tiktoken chatgpt modelfusion
    token.js portkey-ai helicone langtrace arize-phoenix litellm openrouter cohere-ai groq-sdk replicate together-ai
    mistralai voyageai pinecone chromadb weaviate-client qdrant-client vectra hnswlib-node usearch
    mcp-evals mcpx mcp-use mcporter xcodebuildmcp figma-developer-mcp puppeteer-mcp-server mongodb-mcp-server
    terraform-mcp-server docker-mcp kubernetes-mcp-server airtable-mcp-server mcp-server-kubernetes hyperbrowser
    agent-rules cursor-tools specstory dotagents agent-kit openclaw clawdbot clawhub moltbot skillport skill-seekers
    skills-ref agent-skills-cli ai-agent-skills claude-skills codex-cli-skills superpowers spec-kit specify-cli
    vibe-coder create-llama create-mastra create-ai-app flowise langflow botpress-client voiceflow dialogflow
    hubot probot release-it semantic-release np standard-version auto conventional-changelog commitizen cz-git
    tslib core-js regenerator-runtime whatwg-fetch isomorphic-fetch cross-fetch needle phin ofetch wretch redaxios
    enzyme testing-library msw nock sinon-chai supertest pactum newman k6 artillery autocannon clinic 0x
    inversify tsyringe awilix typedi fp-ts ts-pattern neverthrow remeda rambda lodash-es just-compose
    blessed ink cli-table3 boxen figlet cfonts terminal-kit listr2 log-symbols update-notifier conf configstore
    keyv lru-cache node-cache quick-lru flat-cache cacache level leveldown lmdb nedb lowdb pouchdb rxdb dexie
    hapi-swagger swagger-ui-express swagger-jsdoc openapi-types openapi-typescript orval tsoa routing-controllers
    ajv-formats json-schema-to-typescript quicktype typedoc jsdoc documentation docusaurus vitepress vuepress docsify
    imagemin svgo gifsicle canvas fabric konva paper two.js matter-js cannon-es ammo.js planck phaser babylonjs
    monaco-editor codemirror prosemirror-state slate quill tiptap lexical draft-js trix ckeditor5
    ag-grid-community handsontable tabulator-tables datatables.net gridjs fullcalendar flatpickr pikaday litepicker`),
  ...scoped('humanlayer', 'sdk'),
  ...scoped('arizeai', 'phoenix-client phoenix-mcp openinference-core'),
  ...scoped('langfuse', 'client tracing'),
  ...scoped('assistant-ui', 'react mcp-docs-server'),
  ...scoped('voltagent', 'core cli docs-mcp'),
  ...scoped('inngest', 'agent-kit'),
  ...scoped('llamaindex', 'core openai workflow'),
  ...scoped('genkit-ai', 'ai google-genai'),
  ...scoped('pinecone-database', 'pinecone mcp'),
  ...scoped('neondatabase', 'serverless mcp-server-neon'),
  ...scoped('apify', 'actors-mcp-server agent-skills'),
  ...scoped('circleci', 'mcp-server-circleci'),
  ...scoped('contentful', 'mcp-server'),
  ...scoped('builder.io', 'sdk dev-tools agent-native'),
  ...scoped('ionic', 'core cli'),
  ...scoped('tiptap', 'core ai-toolkit'),
  ...scoped('tauri-apps', 'cli api'),
  ...scoped('rspack', 'core cli'),
  ...scoped('biomejs', 'biome'),
  ...scoped('oxlint', 'migrate'),
  ...scoped('convex-dev', 'agent rag'),
  ...scoped('livekit', 'agents components-react'),
  ...scoped('pipecat-ai', 'client-js'),
  ...scoped('huggingface', 'inference transformers tiny-agents mcp-client'),
  ...scoped('xenova', 'transformers'),
  ...scoped('microsoft', 'agents-hosting teams-ai workiq'),
  ...scoped('salesforce', 'mcp cli'),
  ...scoped('atlassian', 'forge-cli mcp'),
  ...scoped('datadog', 'datadog-ci browser-rum'),
  ...scoped('grafana', 'runtime mcp'),
  ...words(`
    agentops agno-ts ai-jsx aisdk anthropic-vertex-ai auto-gpt babyagi brainstorm chatgpt-api claude-code-sdk claude-kit
    claude-prompts code-agent codex-mcp-server context-engineering copilot-instructions cursor-agent devtools-mcp
    dotprompt exa-js firecrawl gemini-mcp-tool ghost-mcp glean graphlit-client griptape hyperagent instructor
    jules kilocode kiro-cli langgraph-cli letta llm-exe llm-polyglot llmstxt magic-mcp mem0ai memgpt mcp-cli mcp-gateway
    mcp-hub mcp-installer mcp-server mcp-tester nanoclaw notion-mcp open-interpreter opik postman-mcp-server
    prompt-engine promptbook qodo rivet-gg screenpipe semantic-kernel sequential-thinking skills-cli spec-driven swarm-js
    task-master tldraw toolhouse typechat vectorize vercel-ai voltagent windsurf-rules xai-sdk zep-cloud zapier-mcp
    alpinejs htmx.org lit stencil riot mithril hyperapp inferno aurelia ember-cli backbone knockout angular polymer
    sails feathers adonis loopback meteor strapi directus keystone payload ghost hexo eleventy metalsmith gulp grunt
    bower brunch snowpack wmr microbundle unbuild tsdx pkgroll rollup-plugin-dts esbuild-register tsd dtslint
    chance faker casual mockjs json-server miragejs polly-js testcafe karma qunit uvu zora tape-promise benchmark tinybench
    passport-jwt oauth4webapi openid-client grant simple-oauth2 otplib speakeasy node-forge tweetnacl sodium-native
    ffmpeg-static fluent-ffmpeg tone howler wavesurfer.js peerjs simple-peer mediasoup hls.js video.js plyr shaka-player
    cidr-regex ipaddr.js netmask dns-packet bonjour mdns-js serialport johnny-five firmata onoff noble bleno
    exceljs docx pptxgenjs jspdf html2canvas html-pdf-node mammoth officeparser xml2js fast-xml-parser sax libxmljs
    geolib turf proj4 ol cesium deck.gl kepler.gl h3-js supercluster natural compromise franc stopword wink-nlp snowball`),
  ...scoped('mendable', 'firecrawl-js'),
  ...scoped('smithery', 'sdk cli'),
  ...scoped('traceloop', 'node-server-sdk'),
  ...scoped('mem0', 'vercel-ai-provider'),
  ...scoped('getzep', 'zep-cloud'),
  ...scoped('librechat', 'agents'),
  ...scoped('cline', 'core sdk'),
  ...scoped('kilocode', 'cli'),
  ...scoped('augmentcode', 'auggie'),
  ...scoped('earendil-works', 'pi-coding-agent pi-ai'),
  ...scoped('mariozechner', 'pi-coding-agent pi-agent-core'),
  ...scoped('oh-my-pi', 'pi-coding-agent'),
  ...scoped('vibe-kit', 'sdk'),
  ...scoped('callstack', 'agent-skills reassure'),
  ...scoped('wix', 'mcp sdk'),
  ...scoped('sanity', 'client agent-context'),
  ...scoped('tailwindcss', 'typography postcss'),
  ...scoped('react-native', 'metro-config'),
  ...scoped('aws-amplify', 'ui-react backend'),
  ...scoped('hashicorp', 'react-components'),
  ...scoped('linear', 'sdk'),
  ...scoped('paypal', 'agent-toolkit mcp'),
  ...scoped('twilio-alpha', 'mcp'),
  ...scoped('cypress', 'react request'),
  ...scoped('docusaurus', 'core theme-classic'),
  ...scoped('astrojs', 'mdx starlight'),
  ...words(`
    abitype acorn-walk agent-base ansi-escapes ansi-regex archiver asciinema-player autocomplete.js autolinker aws4
    backoff base64-js basic-auth better-call better-opn bippy bl bowser bplist-parser brace-expansion browserslist
    bson-objectid builtin-modules bytes c8 cac camelcase caniuse-lite cbor cheerio-select chromedriver ci-info
    cli-progress cli-spinners cluster-key-slot code-block-writer colorette comlink compare-versions confbox consola
    content-disposition cookie-es copy-anything cosmiconfig crelt cron-parser crossws css-select cssnano csso
    csv-stringify d3-array data-urls date-holidays deepmerge defu degit del depd destr detect-port devalue diff
    dom-serializer dompurify dotenv-expand downshift duplexify editorconfig effector ejs-lint elysia embla-carousel
    emoji-regex enhanced-resolve enquirer entities envalid es-toolkit escalade eslint-plugin-import eslint-plugin-react
    estree-walker eta eventemitter3 eventsource-parser exit-hook expect-type fast-deep-equal fast-json-stringify
    fastest-levenshtein fflate file-type filesize find-up flatbuffers flowbite focus-trap follow-redirects fuse.js
    fzstd get-port giget git-url-parse globby globals got-scraping graphql-tag graphql-yoga gray-matter handlebars-loader
    hast-util-to-html highlight.js hookable hosted-git-info html-minifier-terser html-react-parser http-proxy
    http-errors human-signals iceberg-js idb immutable import-meta-resolve ini ink-spinner interpret inversify-express
    ioredis-mock iron-session is-wsl isbot isomorphic-git jackspeak jest-mock-extended jiti jju joycon js-beautify
    js-cookie js-yaml json5 jsonpath-plus jsonrepair jsonschema just-extend jwa katex keytar kleur-cli knitwork
    kolorist ky-universal launchdarkly-node-server-sdk less-loader libphonenumber-js lightningcss lilconfig linkify-it
    local-pkg localforage locate-path loglevel long-timeout loupe lowlight lucide-react lz-string magic-string
    magicast map-stream markdown-toc markdownlint-cli2 match-sorter mdast-util-from-markdown media-typer memfs
    meow merge-options mermaid meshoptimizer method-override micro mini-css-extract-plugin minipass mitt mlly
    mock-fs module-alias mri mustache-express n8n-workflow nanospinner nanostores napi-rs node-abi node-addon-api
    node-gyp node-html-parser node-llama-cpp nodemailer-mock normalize-url npm-check-updates npm-run-all nuqs nwsapi
    oauth4webapi-utils object-hash object-path ofetch-mock oidc-provider onetime openapi-fetch openapi-ts oxc-resolver
    p-map p-retry pac-proxy-agent pako parse5 parseurl partysocket path-to-regexp pathe patch-package pdfjs-dist
    perfect-debounce pg-boss pg-promise picomatch pify pino-pretty pkg-types plop plist pluralize polished portfinder
    postgres postman-request powersync preact-render-to-string pretty-ms prisma-extension progress promise-retry
    proper-lockfile protobufjs proxy-addr psl publint pump pure-rand qrcode quansync radash raf rate-limiter-flexible
    raw-body rc react-aria react-dropzone react-grab react-icons react-markdown react-select react-virtuoso read-pkg
    recharts redoc reflect-metadata rehype-raw remark-gfm replace-in-file resend resolve restify retry rfdc rolldown
    rou3 router sade safe-buffer sanitize-html scule selfsigned semantic-release-slack-bot send seroval serve serve-handler
    set-cookie-parser shell-quote shelljs shiki signal-exit simple-git sirv skia-canvas slugify smol-toml snakecase-keys
    source-map sort-package-json split2 sprintf-js ssh2 std-env storybook-dark-mode streamx string-width strip-ansi strtok3
    style-to-js stylus sucrase superjson supports-color svelte-check swr symbol-tree systeminformation table tar
    temporal-polyfill tempy terser thread-stream throttleit through2 tiny-invariant tinyexec tinypool tmp to-fast-properties
    tough-cookie trpc-openapi tree-kill tsconfck tsx-cli tunnel-agent type-fest typebox typescript-eslint ua-parser-js
    ufo uhyphen ultrahtml undici-types unenv unified unimport unplugin unstorage untun uploadthing uqr url-parse
    use-debounce use-sync-external-store user-agents utility-types valtio-reactive vaul verror vfile vis-network
    vite-node vite-plugin-pwa vite-tsconfig-paths vscode-languageserver vue-router vuetify walk-up-path watchpack
    web-vitals webextension-polyfill which winston-daily-rotate-file worker-farm workerpool wouter wrap-ansi write-file-atomic
    xml xmlbuilder2 xstate-inspect y-websocket yallist yaml-front-matter yauzl yjs yocto-queue youch zip-stream zod-to-json-schema
    zustand-mutative zx-cli`),
];

/** Packages whose false alarms were counted and never read: what rules do with texts that they were not written by. */
const heldOut: readonly string[] = [
  ...words(`
    agent-task-queue agentation agentic agentmail agents-md agentpack aictx aieditor aifn airtop allagents
    anthropic-tokenizer apify-cli archon-cli arcade-mcp asana-mcp assemblyai auto-claude autodoc b2m-mcp baml bolt.diy
    browser-tools-mcp browserslist-mcp byterover-cli caido-mcp cc-statusline ccmanager ccstatusline chat-sdk
    chatgpt-cli cherrystudio chrome-mcp claude-agents claude-auto-resume claude-checkpoints claude-code-hooks
    claude-code-log claude-code-mcp claude-code-statusline claude-code-usage claude-code-webui claude-context claude-deck
    claude-git claude-init claude-powerline claude-prompter claude-sessions claude-squad claude-sync claude-task-runner
    claudekit clawhub-cli cli-agents code-review-agent code-review-gpt codegen codegraph codemod codex-acp codex-mcp codex-mem
    compound-engineering context-mode contextkit contextplus copilot-api crewai-js cursor-mcp dev-browser devin docfork
    docs-mcp-server dotcontext dspy.ts dust-sdk eslint-mcp expo-mcp e2e-agent fabric-ai fal feature-flow flow-next
    gemini-flow git-ai github-mcp gitnexus gsd-pi happy-coder heygen-mcp hono-mcp inkeep instructa jira-mcp kodu
    langbase langgraphjs lasso-mcp lightpanda linear-mcp llm-guard llm-ui llmgateway lobehub lsp-mcp mcp-chrome
    mcp-hubspot mcp-obsidian mcp-openapi mcp-postgres mcp-proxy-server mcp-registry mcp-sdk mcp-shell mcp-test mcp-ui
    mem0 memory-bank-mcp mermaid-mcp midscene morph-mcp motion-mcp n8n-nodes-mcp next-devtools-mcp nia-mcp novu
    nx-agents observable-agents oh-my-claude oh-my-claudecode okf-skills open-composer openai-agents openai-edge
    openapi-mcp openapi-mcp-generator opencode opencode-skills openspec opensrc oracle-mcp outlines-js pageindex
    pdf-agent pi-agent pi-mono planning-with-files playwriter polyagent portkey postgres-mcp prompt-kit prompts-js
    promptlayer pydantic-ai qa-agent qmd ragie react-doctor react-email reacticx repoprompt resend-mcp responsively
    roo-cline rulebook-ai rules-sync sandcastle scira seedance-mcp serena-mcp shotgun-cli skill-creator skill-installer
    skillkit skills-manager skillshare snyk-agent solidity-mcp spec-kitty squad-cli stagewise steering-docs
    stripe-mcp structured-prompts superagent-ai supermemory swe-agent tambo taskmaster tdd-guard tessl token-optimizer
    tokscale toolsdk tutor-mcp typefully-mcp ui-skills unifai-sdk upskill use-mcp v0-sdk vercel-skills viberails
    vibetunnel vitest-mcp webmcp workos worktrunk xmcp zen-mcp zod-gpt zod-prompt
    alasql amqp-connection-manager antlr4 apexcharts apollo-link appium argparse artplayer asar assemblyscript
    atropos avro-js axe-playwright axios-retry babel-jest bcrypt-nodejs bfj bignumber blakejs blessed-contrib blob-util
    bookshelf braintree bree bs58 bull-board cassandra-driver chart.js-auto chevrotain clipboardy cloudinary codelyzer coffeescript
    colord commondir compressorjs connect-redis contentful countup.js cropperjs crypto-js cspell cytoscape dagre
    datocms-client debounce denque dependency-cruiser detox discord-api-types dockerode docsify-cli dragula drizzle-kit easymde
    elastic-apm-node elasticsearch elkjs ember-data emittery eslint-config-airbnb eslint-plugin-unicorn etcd3 ethereumjs-util
    express-rate-limit express-validator fast-csv fast-check-vitest fastify-plugin figures fingerprintjs flexsearch flow-bin
    fluture fparser freezegun-js frisby fullpage.js geoip-lite get-stream gh-pages ghost-cli gl-matrix google-auth-library
    googleapis gpt-3-encoder graphile-worker graphology grpc-tools gridstack gsheets guacamole-common-js harp hash.js haversine
    hexo-cli highcharts hint hoek hotkeys-js html-to-text html-validate http-server i18n iconoir image-size immutability-helper
    inputmask intro.js ioredis-lock ipfs-http-client isolated-vm javascript-obfuscator jimp-compact jschardet json-diff jsoneditor
    jsonpath jsplumb jstat kafka-node karma-chrome-launcher knip kareem kdbush koa-router kuromoji leaflet-draw lerna-lite
    libsodium-wrappers liquidjs lit-html live-server lodash.merge lusca madge mailgun.js maplibre-gl markdown-it-anchor masonry-layout
    medusa-js meilisearch metascraper minimatch mjml mobx-state-tree mocha-junit-reporter moleculer mongodb-memory-server mqemitter
    ms mssql mysql nano nats nconf ndjson neo4j-driver newrelic next-auth next-intl ng-packagr ngx-bootstrap node-cron-parser
    node-notifier node-pty node-red node-schedule node-ssh node-telegram-bot-api nodegit npm-packlist nyc oclif
    openpgp opossum optimist ora-classic orval-cli osmtogeojson overmind parcel-bundler passport-local pdf2json pdfmake peggy
    phaser3-rex-plugins pinia pkg playcanvas pm2-io popmotion posthtml prettier-plugin-tailwindcss prom-client prop-types
    proxyquire pubnub pusher quagga quasar ramda-adjunct raphael razorpay react-admin react-big-calendar react-beautiful-dnd
    react-datepicker react-dnd react-flow-renderer react-i18nify react-leaflet react-map-gl react-pdf react-spring react-table
    react-toastify recompose rehype remark-lint replicate-js reveal.js rimraf-classic rss-parser saml2-js sass-loader
    scrollreveal seedrandom sentry-cli sequelize-cli shepherd.js sinon-test snabbdom snoowrap socket.io-client sortablejs
    spdx-license-list sql.js standard stream-chat stompjs strip-json-comments styled-system supertokens-node svelte-kit sweetalert2
    swagger-client swiper-element tarn tedious tesseract.js tern thrift timeago.js tippy.js toastr topojson ts-jest tslint
    turndown typed.js typesense typeorm-extension ttf2woff umzug underscore.string unexpected uppy uuidv7 vee-validate vega
    vinyl viz.js vorpal vue-chartjs vuex wait-on web-push webpack-dev-server webtorrent winax wppconnect xhr2 xss yeoman-generator
    yup-phone zipcodes zone.js zxcvbn`),
];

/** What agents read without being asked to: documents, instructions for agents, skills, rules and prompts. */
export const readByAgents =
  /(?:^|\/)(?:README[^/]*|CHANGELOG\.md|SECURITY\.md|CONTRIBUTING\.md|AGENTS\.md|CLAUDE\.md|GEMINI\.md|SKILL\.md|copilot-instructions\.md|llms(?:-full)?\.txt|\.cursorrules|[^/]*\.(?:mdc|prompt\.md|instructions\.md|agent\.md|chatmode\.md))$|\/(?:skills?|prompts?|agents?|commands|rules|docs)\/[^/]+(?:\/[^/]+)*\.(?:md|txt)$/i;

/** Of one package so many files are kept, and of the machine's documents. */
const mostOfOne = 40;
const mostDocuments = 600;
const longest = 400_000;

if (process.argv[1]?.endsWith('agent-texts.ts') === true) {
  const [given] = process.argv.slice(2);
  if (given === undefined) {
    process.stderr.write('Usage: npm run eval:texts -- FOLDER\n');
    process.exit(2);
  }
  collect(resolve(given));
}

function collect(folder: string): void {
  for (const [kind, names] of Object.entries({ npm: packages, 'held-out': heldOut })) {
    const wanted = [...new Set(names)].filter((name) => !existsSync(join(folder, kind, flat(name))));
    for (let at = 0; at < wanted.length; at += 12) fetchPackages(folder, kind, wanted.slice(at, at + 12));
  }
  copyDocuments(join(folder, 'doc'));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const kept = readdirSync(join(folder, 'npm')).length + readdirSync(join(folder, 'held-out')).length;
  process.stdout.write(`${files.length} files of ${kept} packages and of this machine's documents\n`);
}

function flat(name: string): string {
  return name.replace('/', '+');
}

/** Fetches some packages by one call of npm; where one of them does not exist, each by its own. */
function fetchPackages(folder: string, kind: string, names: readonly string[]): void {
  const into = join(folder, 'fetched');
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const { stdout, status } = spawnSync('npm', ['pack', '--json', ...names], { cwd: into, encoding: 'utf8' });
  if (status !== 0) {
    for (const name of names.length > 1 ? names : []) fetchPackages(folder, kind, [name]);
    if (names.length === 1) process.stdout.write(`${names[0]}: not offered\n`);
    return;
  }
  const packed = JSON.parse(stdout) as
    | readonly { name: string; filename: string }[]
    | Readonly<Record<string, { name: string; filename: string }>>;
  for (const { name, filename } of Object.values(packed))
    unpack(join(into, filename), join(folder, kind, flat(name)));
  rmSync(into, { recursive: true });
}

function unpack(archive: string, target: string): void {
  const { stdout } = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const files = stdout
    .split('\n')
    .filter((file) => readByAgents.test(file) && !file.includes('/node_modules/'))
    .slice(0, mostOfOne);
  mkdirSync(target, { recursive: true });
  if (files.length > 0) spawnSync('tar', ['-xzf', archive, '-C', target, '--strip-components=1', ...files]);
  process.stdout.write(`${target}: ${files.length}\n`);
}

/** Readable documents of Debian packages, as they are on this machine. */
function copyDocuments(target: string): void {
  const root = '/usr/share/doc';
  if (!existsSync(root)) return;
  mkdirSync(target, { recursive: true });
  const documents = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)(?:README[^/]*|NEWS|[^/]*\.(?:md|txt|rst))$/.test(file))
    .sort();
  for (const file of documents.slice(0, mostDocuments)) {
    const source = join(root, file);
    if (!existsSync(source) || !statSync(source).isFile() || statSync(source).size > longest) continue;
    copyFileSync(source, join(target, file.replaceAll('/', '+')));
  }
}

/** A collected file: where it comes from, and its text. */
export interface AgentText {
  /** The package, or the document. */
  readonly source: string;
  readonly file: string;
  readonly text: string;
  /** No rule was looked at with this source. */
  readonly heldOut: boolean;
}

/** Everything that was collected in a folder. */
export function collected(folder: string): readonly AgentText[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((file) => statSync(join(folder, file)).isFile())
    .flatMap((file) => {
      const [kind = '', name = ''] = file.split('/');
      const text = readFileSync(join(folder, file), 'utf8').slice(0, longest);
      const source = kind === 'doc' ? `doc/${name.split('+')[0]}` : name;
      return text.includes('\0') || text.trim() === ''
        ? []
        : { source, file, text, heldOut: kind === 'held-out' };
    });
}
