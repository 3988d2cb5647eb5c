// What acts, shows, records or reads, by name.

export type SinkKind = 'show' | 'interpret' | 'write' | 'delete' | 'http' | 'message';

const sinks: readonly { readonly kind: SinkKind; readonly match: RegExp }[] = [
  { kind: 'interpret', match: /^:(eval|exec|Function|execScript|compile)$/ },
  { kind: 'interpret', match: /^(node:)?vm:(.*\.)?(runIn\w+|Script|compileFunction)$/ },
  {
    kind: 'interpret',
    match: /^(node:)?child_process:(.*\.)?(exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)(\(\))?$/,
  },
  { kind: 'interpret', match: /:(.*\.)?promisify\(\)$/ },
  { kind: 'interpret', match: /^(execa|zx|shelljs|cross-spawn):/ },
  { kind: 'interpret', match: /^:(Bun\.(spawn|spawnSync|\$)|Deno\.(Command|run))$/ },
  { kind: 'interpret', match: /^os:(\*\.)?(system|popen|exec\w+|spawn\w+)$/ },
  { kind: 'interpret', match: /^subprocess:(\*\.)?\w+$/ },
  { kind: 'interpret', match: /^asyncio(\.subprocess)?:(.*\.)?create_subprocess_(shell|exec)$/ },
  {
    kind: 'interpret',
    match: /^(os\/exec:\*\.command(Context)?|syscall:\*\.(exec|forkExec)|os:\*\.startProcess)$/,
  },
  {
    kind: 'interpret',
    match: /(goja|otto|yaegi|gopher-lua|starlark)[^:]*:.*\.(runString|runScript|run|eval|doString|execFile)$/,
  },
  { kind: 'delete', match: /^(node:)?fs(\/promises|-extra)?:(.*\.)?(rm|rmdir|unlink|remove|rimraf)(Sync)?$/ },
  { kind: 'delete', match: /^(os|shutil):(\*\.)?(remove|unlink|rmdir|removedirs|rmtree)$/ },
  { kind: 'delete', match: /^(rimraf|del):/ },
  {
    kind: 'write',
    match:
      /^(node:)?fs(\/promises|-extra)?:(.*\.)?(writeFile|appendFile|createWriteStream|rename|copyFile|cp|truncate|outputFile|symlink|mkdir|write)(Sync)?$/,
  },
  { kind: 'delete', match: /^os:\*\.(remove|removeAll)$/ },
  {
    kind: 'write',
    match:
      /^(os|io\/ioutil):\*\.(writeFile|create|createTemp|mkdir|mkdirAll|rename|symlink|link|truncate|openFile)$|^os:\*\.(create|openFile|createTemp)\(\)\.(write|writeString|writeAt)$/,
  },
  { kind: 'write', match: /^:(Bun\.write|Deno\.writeTextFile|Deno\.writeFile)$/ },
  {
    kind: 'write',
    match:
      /(^:open|^aiofiles:(\*\.)?open|^(io|codecs):(\*\.)?open|\bPath\(\)(\.\w+)*\.open)\(\)\.(write|writelines)$/,
  },
  {
    kind: 'write',
    match: /\bPath\(\)([./]\w+(\(\))?)*\.(write_text|write_bytes|rename|replace|touch|mkdir)$/,
  },
  { kind: 'delete', match: /\bPath\(\)([./]\w+(\(\))?)*\.(unlink|rmdir)$/ },
  { kind: 'write', match: /\.(write_text|write_bytes)$/ },
  { kind: 'write', match: /^(os|shutil):(\*\.)?(rename|replace|makedirs|mkdir|copy\w*|move|truncate)$/ },
  {
    kind: 'message',
    match: /\.(sendMail|sendmail|send_message|send_mail|send_email|sendEmail|sendSms|send_sms)$/,
  },
  {
    kind: 'message',
    match:
      /^(twilio|@slack|slack_sdk|slack|stripe|resend|@sendgrid|sendgrid|nodemailer|smtplib|telegram)[^:]*:.*\.(create|send|postMessage|chat_postMessage|refund|charge|sendMessage)$/,
  },
  {
    kind: 'message',
    match:
      /^(net\/smtp|github\.com\/(slack-go|twilio|stripe|sendgrid|mailgun|resend)[^:]*):.*\.(sendMail|postMessage\w*|send|new|create\w*|sendMessage\w*)$/,
  },
  {
    kind: 'http',
    match:
      /^net\/http:\*\.((client|defaultClient)(\(\))?\.)?(get|post|postForm|head|newRequest|newRequestWithContext)$|resty[^:]*:.*\.(get|post|put|patch|delete|execute)$/,
  },
  { kind: 'http', match: /^:(fetch|globalThis\.fetch|window\.fetch|axios(\.\w+)?)$/ },
  {
    kind: 'http',
    match: /^(axios|got|ky|node-fetch|superagent|undici|request|needle|phin|cross-fetch|ofetch):/,
  },
  { kind: 'http', match: /^(node:)?https?:(.*\.)?(request|get)$/ },
  {
    kind: 'http',
    match:
      /^(requests|httpx|urllib3|aiohttp):(\*\.)?((Async)?Client\(\)\.|(Client)?Session\(\)\.|PoolManager\(\)\.|session\(\)\.)?(get|post|put|patch|delete|head|request|stream|options)$/,
  },
  { kind: 'http', match: /^urllib(\.request)?:(.*\.)?(urlopen|urlretrieve|Request)$/ },
  { kind: 'show', match: /^fmt:\*\.f?print(f|ln)?$|^net\/http:\*\.(error|responseWriter\(\)\.write)$/ },
  {
    kind: 'show',
    match:
      /^(io:\*\.(writeString|copy|copyN)|encoding\/json:\*\.newEncoder\(\)(\.\w+\(\))*\.encode|(html|text)\/template:.*\.execute(Template)?|bufio:\*\.newWriter\(\)\.write\w*)$/,
  },
  {
    kind: 'show',
    match:
      /^os:\*\.stdout\.write(String)?$|(^|\.)(channelMessageSend\w*|writeMessage|writeJSON|sendString|sseEvent)$/,
  },
  {
    kind: 'show',
    match:
      /(gin|echo|fiber|iris|beego|hertz)[^:]*:\*\.(context|ctx|requestContext)\(\)\.(json|jsonp|indentedJSON|pureJSON|secureJSON|string|html|data|dataFromReader|xml|yaml|sseEvent|stream|render|blob|send|sendString|sendStream|write|writeString|writer\.write(String)?|response\(\)\.write|format|jsonBlob|htmlBlob)$/,
  },
  { kind: 'show', match: /^:(console\.(log|info)|print|alert|input)$/ },
  {
    kind: 'show',
    match:
      /^(builtins|rich[^:]*|click|typer|streamlit|st|gradio|chainlit)?:(.*\.)?(print|echo|write|markdown|chat_message\(\)\.\w+|Message|success)$/,
  },
  { kind: 'show', match: /^(:process|(node:)?process:(\*|default|stdout)?)\.?(stdout\.)?write$/ },
  { kind: 'show', match: /^(:|sys:(\*\.)?)(sys\.)?stdout\.(write|writelines)$/ },
  {
    kind: 'show',
    match:
      /:(.*\.)?(Response|NextResponse|JSONResponse|StreamingResponse|PlainTextResponse|HTMLResponse|EventSourceResponse|jsonify|HttpResponse|JsonResponse|StreamingHttpResponse|make_response)(\.json)?$/,
  },
  {
    kind: 'show',
    match:
      /\.(send|json|reply|respond|enqueue|emit|send_text|send_json|send_str|send_message|sendMessage|sendText|editReply|followUp|say|postMessage|publish|sendToQueue|send_event|writeSSE|streamText)$/,
  },
  {
    kind: 'show',
    match:
      /^:(.*\.)?(res|response|reply|ctx|c|ws|socket|stream|writer|out|output|stdout|connection|channel|sse|raw)(\(\))?\.(write|end|text|html|render|put)$/,
  },
  {
    kind: 'show',
    match:
      /^:(.*\.)?(on_?(text|token|chunk|delta|message|output|answer|data|update|partial)|emit|send|reply|respond|write|show|display|render|output|say|callback|cb|yield_)$/i,
  },
];

export function sinkOf(path: string): SinkKind | undefined {
  return sinks.find(({ match }) => match.test(path))?.kind;
}

/** What runs a tool by its name. */
export const dispatches =
  /(^|\.|:|_)(call_?tools?|execute_?(tools?|function|call)?|run_?(tools?|function|call)?|invoke_?(tools?|function)?|ainvoke|arun|dispatch(_?(tool|call))*|handle_?(tool|call|function)\w*|perform(_?(tool|call))?|use_?tool|apply_?tool|exec_?tool|process_?tool_?call\w*)$/i;

/** What keeps a record. */
export const records =
  /(^|[._:])(audit\w*|ledger|journal|events?|telemetry|security_?log\w*|incident\w*)(\(\))?([._]\w+)*$|(^|[._:])(log|logger|logging)(\(\))?[._](warn|warning|error|critical|event|security|info|audit|record)$|(^|[._:])(record|report|log|emit|track)_?(event|attempt|incident|jailbreak|security|violation|audit)\w*$/i;

/** What a person typed, or a program was handed. */
export const inputs =
  /^:(input|prompt|raw_input)$|^(flag|github\.com\/spf13\/pflag):\*\.(arg|args|string)$|(gin|echo|fiber|iris|beego|hertz)[^:]*:\*\.(context|ctx|requestContext)\(\)\.(query|queryParam|queries|defaultQuery|param|params|postForm|defaultPostForm|formValue|formFile|multipartForm|getRawData|body|bodyRaw|getHeader|cookies?)$|^(node:)?readline(\/promises)?:.*\.question$|^:(.*\.)?(rl|readline)(\(\))?\.question$|^(inquirer|prompts|enquirer|@inquirer[^:]*|@clack[^:]*):|^(click|typer):(\*\.)?prompt$|\.(receive_text|receive_json|get_json|formData|form|recv|receive|readline|readLine)$/;

export const inputValues =
  /^:process\.(argv|stdin)|^os:\*\.(args|stdin)$|(gin|echo|fiber|iris)[^:]*:\*\.(context|ctx)\(\)\.request(\(\))?\.(body|form|postForm)$|^(node:)?process:(.*\.)?(argv|stdin)$|^sys:(\*\.)?(argv|stdin)$|^:sys\.(argv|stdin)$/;

/** What reads a file. */
export const readsFile =
  /^(node:)?fs(\/promises|-extra)?:(.*\.)?(readFile|readFileSync|createReadStream)$|^(os|io\/ioutil):\*\.(readFile|open)$|^:open\(\)\.(read|readlines)$|\.(read_text|read_bytes)$|^:Deno\.read\w+$|^(pypdf|PyPDF2|pdfplumber|docx|unpdf|mammoth|pdf-parse|tesseract[^:]*|pytesseract|PIL)[^:]*:/;

/** What puts something where it is told to, beside what is handed over by its address. */
export const fills =
  /^(decode|unmarshal\w*|(should|must)?[bB]ind\w*|bodyParser|queryParser|readJSON|parseJSON|decodeJSON\w*|scan|scanln|scanf|fscan\w*|sscan\w*)$/;

/** A request of a person, as frameworks of Go hand it over; or what a person typed. */
export const fillsFromPerson =
  /(gin|echo|fiber|iris|beego|hertz)[^:]*:\*\.(context|ctx|requestContext)\(\)\.|^fmt:\*\.scan/;

/** Makes an error, so that there is one. */
export const makesError =
  /^errors:\*\.new$|^fmt:\*\.errorf$|\.toUserError$|^github\.com\/pkg\/errors:\*\.\w+$/;

/** Says when something ends and for whom it is, and holds no text. */
export const neutral =
  /^(context|time|sync|sync\/atomic|log|log\/slog|strconv:\*\.(atoi|parse\w+)|math|math\/rand):\*|(^|\.)(context|userContext)$/;

/** Takes a statement of SQL, and runs it. */
export const runsSql =
  /^(database\/sql|github\.com\/(jackc|jmoiron|uptrace)[^:]*|gorm[^:]*):.*\.(exec|query|queryRow|prepare|raw|select|get)(Context|x)?$|^:(.*\.)?(db|tx|conn|pool|database|sqlDB)\.(exec|query|queryRow|prepare|raw)(Context|x)?$/;

/** What is written into a text that a program makes. */
export const textBuilder =
  /^(strings:\*\.builder|bytes:\*\.(buffer|newBuffer|newBufferString)|bufio:\*\.newWriter)\(\)$/;

/** The record of a program, which no user sees. */
export const errorStream = /^os:\*\.stderr$|^log(\/slog)?:/;
