// Names that are there without being declared in a workspace: of the languages, their standard libraries, browsers,
// runtimes and test runners. What is on no list is still not missing for that alone: see where each list is used.

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** What scripts may call without importing it. */
export const scriptGlobals: ReadonlySet<string> = words(`
  $ $$ $bindable $derived $effect $host $inspect $props $state AbortController AbortSignal AbstractRange
  ActiveXObject AggregateError AnalyserNode Animation AnimationEffect AnimationEvent AnimationPlaybackEvent
  AnimationTimeline App Array ArrayBuffer AsyncDisposableStack Atomics Attr Audio AudioBuffer
  AudioBufferSourceNode AudioContext AudioData AudioDecoder AudioDestinationNode AudioEncoder AudioListener
  AudioNode AudioParam AudioParamMap AudioProcessingEvent AudioScheduledSourceNode AudioWorklet AudioWorkletNode
  AuthenticatorAssertionResponse AuthenticatorAttestationResponse AuthenticatorResponse BarProp BaseAudioContext
  BeforeUnloadEvent BigInt BigInt64Array BigUint64Array BiquadFilterNode Blob BlobEvent Boolean BroadcastChannel
  Buffer Bun ByteLengthQueuingStrategy CDATASection CSS CSSAnimation CSSConditionRule CSSContainerRule
  CSSCounterStyleRule CSSFontFaceRule CSSFontFeatureValuesRule CSSFontPaletteValuesRule CSSGroupingRule
  CSSImageValue CSSImportRule CSSKeyframeRule CSSKeyframesRule CSSKeywordValue CSSLayerBlockRule
  CSSLayerStatementRule CSSMathClamp CSSMathInvert CSSMathMax CSSMathMin CSSMathNegate CSSMathProduct CSSMathSum
  CSSMathValue CSSMatrixComponent CSSMediaRule CSSNamespaceRule CSSNestedDeclarations CSSNumericArray
  CSSNumericValue CSSPageDescriptors CSSPageRule CSSPerspective CSSPositionTryDescriptors CSSPositionTryRule
  CSSPropertyRule CSSRotate CSSRule CSSRuleList CSSScale CSSScopeRule CSSSkew CSSSkewX CSSSkewY
  CSSStartingStyleRule CSSStyleDeclaration CSSStyleProperties CSSStyleRule CSSStyleSheet CSSStyleValue
  CSSSupportsRule CSSTransformComponent CSSTransformValue CSSTransition CSSTranslate CSSUnitValue
  CSSUnparsedValue CSSVariableReferenceValue CSSViewTransitionRule Cache CacheStorage
  CanvasCaptureMediaStreamTrack CanvasGradient CanvasPattern CanvasRenderingContext2D CaretPosition Cc
  ChannelMergerNode ChannelSplitterNode CharacterData ChromeUtils Ci Client Clients Clipboard ClipboardEvent
  ClipboardItem CloseEvent CommandEvent Comment Component Components CompositionEvent CompressionStream
  ConstantSourceNode ContentVisibilityAutoStateChangeEvent ConvolverNode CookieChangeEvent CookieStore
  CookieStoreManager CountQueuingStrategy Credential CredentialsContainer Crypto CryptoKey Cu
  CustomElementRegistry CustomEvent CustomStateSet Cypress DOMException DOMImplementation DOMMatrix
  DOMMatrixReadOnly DOMParser DOMPoint DOMPointReadOnly DOMQuad DOMRect DOMRectList DOMRectReadOnly
  DOMStringList DOMStringMap DOMTokenList DataTransfer DataTransferItem DataTransferItemList DataView Date
  DecompressionStream DedicatedWorkerGlobalScope DelayNode Deno DeviceMotionEvent DeviceOrientationEvent
  DigitalCredential DisposableStack Document DocumentFragment DocumentTimeline DocumentType DragEvent
  DynamicsCompressorNode Element ElementInternals Ember EncodedAudioChunk EncodedVideoChunk Enumerator Error
  ErrorEvent EvalError Event EventCounts EventSource EventTarget ExtendableCookieChangeEvent ExtendableEvent
  ExtendableMessageEvent External FetchEvent File FileList FileReader FileReaderSync FileSystem
  FileSystemDirectoryEntry FileSystemDirectoryHandle FileSystemDirectoryReader FileSystemEntry
  FileSystemFileEntry FileSystemFileHandle FileSystemHandle FileSystemSyncAccessHandle
  FileSystemWritableFileStream FinalizationRegistry Float16Array Float32Array Float64Array FocusEvent FontFace
  FontFaceSet FontFaceSetLoadEvent FormData FormDataEvent FragmentDirective Function GPU GPUAdapter
  GPUAdapterInfo GPUBindGroup GPUBindGroupLayout GPUBuffer GPUCanvasContext GPUCommandBuffer GPUCommandEncoder
  GPUCompilationInfo GPUCompilationMessage GPUComputePassEncoder GPUComputePipeline GPUDevice GPUDeviceLostInfo
  GPUError GPUExternalTexture GPUInternalError GPUOutOfMemoryError GPUPipelineError GPUPipelineLayout
  GPUQuerySet GPUQueue GPURenderBundle GPURenderBundleEncoder GPURenderPassEncoder GPURenderPipeline GPUSampler
  GPUShaderModule GPUSupportedFeatures GPUSupportedLimits GPUTexture GPUTextureView GPUUncapturedErrorEvent
  GPUValidationError GainNode Gamepad GamepadButton GamepadEvent GamepadHapticActuator Geolocation
  GeolocationCoordinates GeolocationPosition GeolocationPositionError HTMLAllCollection HTMLAnchorElement
  HTMLAreaElement HTMLAudioElement HTMLBRElement HTMLBaseElement HTMLBodyElement HTMLButtonElement
  HTMLCanvasElement HTMLCollection HTMLDListElement HTMLDataElement HTMLDataListElement HTMLDetailsElement
  HTMLDialogElement HTMLDirectoryElement HTMLDivElement HTMLDocument HTMLElement HTMLEmbedElement
  HTMLFieldSetElement HTMLFontElement HTMLFormControlsCollection HTMLFormElement HTMLFrameElement
  HTMLFrameSetElement HTMLHRElement HTMLHeadElement HTMLHeadingElement HTMLHtmlElement HTMLIFrameElement
  HTMLImageElement HTMLInputElement HTMLLIElement HTMLLabelElement HTMLLegendElement HTMLLinkElement
  HTMLMapElement HTMLMarqueeElement HTMLMediaElement HTMLMenuElement HTMLMetaElement HTMLMeterElement
  HTMLModElement HTMLOListElement HTMLObjectElement HTMLOptGroupElement HTMLOptionElement HTMLOptionsCollection
  HTMLOutputElement HTMLParagraphElement HTMLParamElement HTMLPictureElement HTMLPreElement HTMLProgressElement
  HTMLQuoteElement HTMLScriptElement HTMLSelectElement HTMLSlotElement HTMLSourceElement HTMLSpanElement
  HTMLStyleElement HTMLTableCaptionElement HTMLTableCellElement HTMLTableColElement HTMLTableElement
  HTMLTableRowElement HTMLTableSectionElement HTMLTemplateElement HTMLTextAreaElement HTMLTimeElement
  HTMLTitleElement HTMLTrackElement HTMLUListElement HTMLUnknownElement HTMLVideoElement HashChangeEvent Headers
  Highlight HighlightRegistry History IDBCursor IDBCursorWithValue IDBDatabase IDBFactory IDBIndex IDBKeyRange
  IDBObjectStore IDBOpenDBRequest IDBRequest IDBTransaction IDBVersionChangeEvent IIRFilterNode IdleDeadline
  Image ImageBitmap ImageBitmapRenderingContext ImageCapture ImageData ImageDecoder ImageTrack ImageTrackList
  Infinity InputDeviceInfo InputEvent Int16Array Int32Array Int8Array IntersectionObserver
  IntersectionObserverEntry Intl Iterator JSON Java KeyboardEvent KeyframeEffect LargestContentfulPaint Location
  Lock LockManager MIDIAccess MIDIConnectionEvent MIDIInput MIDIInputMap MIDIMessageEvent MIDIOutput
  MIDIOutputMap MIDIPort Map Math MathMLElement MediaCapabilities MediaDeviceInfo MediaDevices
  MediaElementAudioSourceNode MediaEncryptedEvent MediaError MediaKeyMessageEvent MediaKeySession
  MediaKeyStatusMap MediaKeySystemAccess MediaKeys MediaList MediaMetadata MediaQueryList MediaQueryListEvent
  MediaRecorder MediaSession MediaSource MediaSourceHandle MediaStream MediaStreamAudioDestinationNode
  MediaStreamAudioSourceNode MediaStreamTrack MediaStreamTrackEvent MediaStreamTrackProcessor MessageChannel
  MessageEvent MessagePort MimeType MimeTypeArray MouseEvent MutationObserver MutationRecord NaN NamedNodeMap
  NavigateEvent Navigation NavigationActivation NavigationCurrentEntryChangeEvent NavigationDestination
  NavigationHistoryEntry NavigationPrecommitController NavigationPreloadManager NavigationTransition Navigator
  NavigatorLogin Node NodeFilter NodeIterator NodeList Notification NotificationEvent Number Object
  OfflineAudioCompletionEvent OfflineAudioContext OffscreenCanvas OffscreenCanvasRenderingContext2D Option
  OscillatorNode OverconstrainedError Packages Page PageRevealEvent PageSwapEvent PageTransitionEvent PannerNode
  Path2D PaymentAddress PaymentMethodChangeEvent PaymentRequest PaymentRequestUpdateEvent PaymentResponse
  Performance PerformanceEntry PerformanceEventTiming PerformanceMark PerformanceMeasure PerformanceNavigation
  PerformanceNavigationTiming PerformanceObserver PerformanceObserverEntryList PerformancePaintTiming
  PerformanceResourceTiming PerformanceServerTiming PerformanceTiming PeriodicWave PermissionStatus Permissions
  PictureInPictureEvent PictureInPictureWindow Plugin PluginArray PointerEvent PopStateEvent
  ProcessingInstruction ProgressEvent Promise PromiseRejectionEvent Proxy PublicKeyCredential PushEvent
  PushManager PushMessageData PushSubscription PushSubscriptionChangeEvent PushSubscriptionOptions QUnit
  RTCCertificate RTCDTMFSender RTCDTMFToneChangeEvent RTCDataChannel RTCDataChannelEvent RTCDtlsTransport
  RTCEncodedAudioFrame RTCEncodedVideoFrame RTCError RTCErrorEvent RTCIceCandidate RTCIceTransport
  RTCPeerConnection RTCPeerConnectionIceErrorEvent RTCPeerConnectionIceEvent RTCRtpReceiver
  RTCRtpScriptTransform RTCRtpScriptTransformer RTCRtpSender RTCRtpTransceiver RTCSctpTransport
  RTCSessionDescription RTCStatsReport RTCTrackEvent RTCTransformEvent RadioNodeList Range RangeError React
  ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp RemotePlayback
  ReportingObserver Request ResizeObserver ResizeObserverEntry ResizeObserverSize Response SVGAElement SVGAngle
  SVGAnimateElement SVGAnimateMotionElement SVGAnimateTransformElement SVGAnimatedAngle SVGAnimatedBoolean
  SVGAnimatedEnumeration SVGAnimatedInteger SVGAnimatedLength SVGAnimatedLengthList SVGAnimatedNumber
  SVGAnimatedNumberList SVGAnimatedPreserveAspectRatio SVGAnimatedRect SVGAnimatedString
  SVGAnimatedTransformList SVGAnimationElement SVGCircleElement SVGClipPathElement
  SVGComponentTransferFunctionElement SVGDefsElement SVGDescElement SVGElement SVGEllipseElement
  SVGFEBlendElement SVGFEColorMatrixElement SVGFEComponentTransferElement SVGFECompositeElement
  SVGFEConvolveMatrixElement SVGFEDiffuseLightingElement SVGFEDisplacementMapElement SVGFEDistantLightElement
  SVGFEDropShadowElement SVGFEFloodElement SVGFEFuncAElement SVGFEFuncBElement SVGFEFuncGElement
  SVGFEFuncRElement SVGFEGaussianBlurElement SVGFEImageElement SVGFEMergeElement SVGFEMergeNodeElement
  SVGFEMorphologyElement SVGFEOffsetElement SVGFEPointLightElement SVGFESpecularLightingElement
  SVGFESpotLightElement SVGFETileElement SVGFETurbulenceElement SVGFilterElement SVGForeignObjectElement
  SVGGElement SVGGeometryElement SVGGradientElement SVGGraphicsElement SVGImageElement SVGLength SVGLengthList
  SVGLineElement SVGLinearGradientElement SVGMPathElement SVGMarkerElement SVGMaskElement SVGMatrix
  SVGMetadataElement SVGNumber SVGNumberList SVGPathElement SVGPatternElement SVGPoint SVGPointList
  SVGPolygonElement SVGPolylineElement SVGPreserveAspectRatio SVGRadialGradientElement SVGRect SVGRectElement
  SVGSVGElement SVGScriptElement SVGSetElement SVGStopElement SVGStringList SVGStyleElement SVGSwitchElement
  SVGSymbolElement SVGTSpanElement SVGTextContentElement SVGTextElement SVGTextPathElement
  SVGTextPositioningElement SVGTitleElement SVGTransform SVGTransformList SVGUnitTypes SVGUseElement
  SVGViewElement SafeArray Sanitizer Scheduler Screen ScreenOrientation ScriptProcessorNode ScrollTimeline
  SecurityPolicyViolationEvent Selection ServiceWorker ServiceWorkerContainer ServiceWorkerGlobalScope
  ServiceWorkerRegistration Services Set ShadowRoot SharedArrayBuffer SharedWorker SharedWorkerGlobalScope
  SourceBuffer SourceBufferList SpeechRecognitionAlternative SpeechRecognitionErrorEvent SpeechRecognitionEvent
  SpeechRecognitionResult SpeechRecognitionResultList SpeechSynthesis SpeechSynthesisErrorEvent
  SpeechSynthesisEvent SpeechSynthesisUtterance SpeechSynthesisVoice StaticRange StereoPannerNode Storage
  StorageEvent StorageManager String Stripe StylePropertyMap StylePropertyMapReadOnly StyleSheet StyleSheetList
  SubmitEvent SubtleCrypto SuppressedError Symbol SyntaxError THREE TaskController TaskPriorityChangeEvent
  TaskSignal Temporal Text TextDecoder TextDecoderStream TextEncoder TextEncoderStream TextEvent TextMetrics
  TextTrack TextTrackCue TextTrackCueList TextTrackList TimeRanges ToggleEvent Touch TouchEvent TouchList
  TrackEvent TransformStream TransformStreamDefaultController TransitionEvent TreeWalker TypeError UIEvent
  URIError URL URLPattern URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray UserActivation
  VBArray VTTCue VTTRegion ValidityState VarDate VideoColorSpace VideoDecoder VideoEncoder VideoFrame
  VideoPlaybackQuality ViewTimeline ViewTransition ViewTransitionTypeSet VisualViewport Vue WGSLLanguageFeatures
  WSH WScript WakeLock WakeLockSentinel WaveShaperNode WeakMap WeakRef WeakSet WebAssembly
  WebGL2RenderingContext WebGLActiveInfo WebGLBuffer WebGLContextEvent WebGLFramebuffer WebGLProgram WebGLQuery
  WebGLRenderbuffer WebGLRenderingContext WebGLSampler WebGLShader WebGLShaderPrecisionFormat WebGLSync
  WebGLTexture WebGLTransformFeedback WebGLUniformLocation WebGLVertexArrayObject WebKitCSSMatrix WebSocket
  WebTransport WebTransportBidirectionalStream WebTransportDatagramDuplexStream WebTransportError WheelEvent
  Window WindowClient Worker WorkerGlobalScope WorkerLocation WorkerNavigator Worklet WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter XMLDocument XMLHttpRequest
  XMLHttpRequestEventTarget XMLHttpRequestUpload XMLSerializer XPathEvaluator XPathExpression XPathResult
  XSLTProcessor _ __d __dirname __filename __non_webpack_require__ __r __turbopack_require__
  __webpack_public_path__ __webpack_require__ addEventListener after afterAll afterEach alert angular assert
  assertEquals assertType atob before beforeAll beforeEach bench blur browser btoa by caches
  cancelAnimationFrame cancelIdleCallback captureEvents chai chrome clearImmediate clearInterval clearTimeout
  clientInformation close closed confirm console context cookieStore cordova createImageBitmap
  crossOriginIsolated crypto customElements cy d3 dataLayer decodeURI decodeURIComponent define defineEmits
  defineExpose defineModel defineOptions defineProps defineSlots describe devicePixelRatio dispatchEvent
  document element encodeURI encodeURIComponent escape eval event expect expectTypeOf exports external fail fbq
  fdescribe fetch fit focus fonts frameElement frames ga gapi getApp getComputedStyle getCurrentPages
  getSelection global globalThis goog google grecaptcha gtag history importScripts indexedDB innerHeight
  innerWidth isFinite isNaN isSecureContext it jQuery jasmine java jest length load localStorage location
  locationbar matchMedia menubar module moment moveBy moveTo mozRequestAnimationFrame my name nativeRequire
  navigation navigator onTestFailed onTestFinished onabort onafterprint onanimationcancel onanimationend
  onanimationiteration onanimationstart onauxclick onbeforeinput onbeforematch onbeforeprint onbeforetoggle
  onbeforeunload onblur oncancel oncanplay oncanplaythrough onchange onclick onclose oncommand oncontextlost
  oncontextmenu oncontextrestored oncopy oncuechange oncut ondblclick ondevicemotion ondeviceorientation
  ondeviceorientationabsolute ondrag ondragend ondragenter ondragleave ondragover ondragstart ondrop
  ondurationchange onemptied onended onerror onfocus onformdata ongamepadconnected ongamepaddisconnected
  ongotpointercapture onhashchange oninput oninvalid onkeydown onkeypress onkeyup onlanguagechange onload
  onloadeddata onloadedmetadata onloadstart onlostpointercapture onmessage onmessageerror onmousedown
  onmouseenter onmouseleave onmousemove onmouseout onmouseover onmouseup onoffline ononline onorientationchange
  onpagehide onpagereveal onpageshow onpageswap onpaste onpause onplay onplaying onpointercancel onpointerdown
  onpointerenter onpointerleave onpointermove onpointerout onpointerover onpointerrawupdate onpointerup
  onpopstate onprogress onratechange onrejectionhandled onreset onresize onrtctransform onscroll onscrollend
  onsecuritypolicyviolation onseeked onseeking onselect onselectionchange onselectstart onslotchange onstalled
  onstorage onsubmit onsuspend ontimeupdate ontoggle ontouchcancel ontouchend ontouchmove ontouchstart
  ontransitioncancel ontransitionend ontransitionrun ontransitionstart onunhandledrejection onunload
  onvolumechange onwaiting onwebkitanimationend onwebkitanimationiteration onwebkitanimationstart
  onwebkittransitionend onwheel open opener orientation origin originAgentCluster outerHeight outerWidth page
  pageXOffset pageYOffset parent parseFloat parseInt pending performance personalbar postMessage print process
  prompt protractor queueMicrotask releaseEvents removeEventListener reportError requestAnimationFrame
  requestIdleCallback require requirejs resizeBy resizeTo scheduler screen screenLeft screenTop screenX screenY
  scroll scrollBy scrollTo scrollX scrollY scrollbars self sessionStorage setImmediate setInterval setTimeout
  setup should sinon specify speechSynthesis spyOn status statusbar stop structuredClone suite suiteSetup
  suiteTeardown teardown test toString toolbar top undefined unescape uni vi visualViewport vitest
  webkitAudioContext webkitRequestAnimationFrame webkitURL window withDefaults wx xcontext xdescribe xit
  xspecify xtest
`);

/** Modules of Node.js, without their scheme. */
export const nodeModules: ReadonlySet<string> = words(`
  assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram
  diagnostics_channel dns dns/promises domain events ffi fs fs/promises http http2 https inspector
  inspector/promises module net os path path/posix path/win32 perf_hooks process punycode querystring quic
  readline readline/promises repl sea sqlite stream stream/consumers stream/promises stream/web string_decoder
  sys test test/reporters timers timers/promises tls trace_events tty url util util/types v8 vfs vm wasi
  worker_threads zlib
`);

/** Packages that the program which runs the code brings along. */
export const hostModules: ReadonlySet<string> = words(`
  atom bun electron k6 obsidian photoshop sketch uxp vscode
`);

/** Modules of Python's standard library, of any version. */
export const pythonModules: ReadonlySet<string> = words(`
  BaseHTTPServer CGIHTTPServer ConfigParser Cookie DocXMLRPCServer HTMLParser Queue SimpleHTTPServer
  SimpleXMLRPCServer SocketServer StringIO Tkinter UserDict UserList UserString __builtin__ __future__ __main__
  _abc _aix_support _android_support _apple_support _ast _ast_unparse _asyncio _bisect _blake2 _bootsubprocess
  _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections
  _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel
  _datetime _dbm _decimal _dummy_thread _dummy_threading _elementtree _frozen_importlib
  _frozen_importlib_external _functools _gdbm _hashlib _heapq _hmac _imp _interpchannels _interpqueues
  _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _missing_stdlib_info _msi
  _multibytecodec _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle
  _posixshmem _posixsubprocess _py_abc _py_warnings _pydecimal _pyio _pyrepl _queue _random _remote_debugging
  _scproxy _sha1 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics
  _string _strptime _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize
  _tracemalloc _types _typing _uuid _warnings _weakref _weakrefset _winapi _winreg _zoneinfo _zstd abc aifc
  annotationlib antigravity anydbm argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
  binascii binhex bisect builtins bz2 cPickle cProfile cStringIO calendar cgi cgitb chunk cmath cmd code codecs
  codeop collections colorsys commands compileall compiler compression concurrent configparser contextlib
  contextvars cookielib copy copy_reg copyreg crypt csv ctypes curses dataclasses datetime dbhash dbm decimal
  difflib dircache dis distutils doctest dummy_thread dummy_threading email encodings ensurepip enum errno
  exceptions faulthandler fcntl filecmp fileinput fnmatch formatter fpformat fractions ftplib functools
  future_builtins gc gdbm genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac hotshot
  html htmlentitydefs htmllib http httplib idlelib ihooks imaplib imghdr imp importlib imputil inspect io
  ipaddress itertools json keyword lib2to3 linecache locale logging lzma macpath macurl2path mailbox mailcap
  marshal math md5 mimetools mimetypes mimify mmap modulefinder msilib msvcrt multifile multiprocessing mutex
  netrc new nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb
  pickle pickletools pipes pkgutil platform plistlib popen2 poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rexec rfc822
  rlcompleter robotparser runpy sched secrets select selectors sets sgmllib sha shelve shlex shutil signal site
  smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics
  statvfs string stringprep strop struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile
  telnetlib tempfile termios test textwrap this thread threading time timeit tkFileDialog tkMessageBox tkinter
  token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest
  urllib urllib2 urlparse user uu uuid venv warnings wave weakref webbrowser whichdb winreg winsound wsgiref
  xdrlib xml xmlrpc xmlrpclib zipapp zipfile zipimport zlib zoneinfo
`);

/** Names that every Python program has, of any version. */
export const pythonNames: ReadonlySet<string> = words(`
  get_config gettext ngettext npgettext pgettext
  ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
  BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
  ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception
  ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
  ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
  KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
  NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
  PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
  StandardError StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError
  TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
  UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError _
  __annotations__ __build_class__ __builtins__ __cached__ __class__ __debug__ __dict__ __doc__ __file__
  __import__ __loader__ __name__ __package__ __path__ __spec__ abs aiter all anext any apply ascii basestring
  bin bool breakpoint buffer bytearray bytes callable chr classmethod cmp coerce compile complex copyright
  credits delattr dict dir display divmod enumerate eval exec execfile exit file filter float format frozenset
  get_ipython getattr globals hasattr hash help hex id input int intern isinstance issubclass iter len license
  list locals long map max memoryview min next object oct open ord pow print property quit range raw_input
  reduce reload repr reveal_locals reveal_type reversed round set setattr slice sorted staticmethod str sum
  super tuple type unichr unicode vars xrange zip
`);

/** Words that are no names. */
export const pythonKeywords: ReadonlySet<string> = words(`
  False None True and as assert async await break case class continue def del elif else except exec finally for
  from global if import in is lambda match nonlocal not or pass print raise return try type while with yield
`);

/** Packages that are imported by another name than they are installed by. */
export const pythonDistributions: Readonly<Record<string, string>> = {
  Bio: 'biopython',
  Crypto: 'pycryptodome',
  Cryptodome: 'pycryptodomex',
  IPython: 'ipython',
  Levenshtein: 'levenshtein',
  MySQLdb: 'mysqlclient',
  OpenGL: 'pyopengl',
  OpenSSL: 'pyopenssl',
  PIL: 'pillow',
  RPi: 'rpi-gpio',
  Xlib: 'python-xlib',
  _pytest: 'pytest',
  attr: 'attrs',
  azure: 'azure-',
  bluetooth: 'pybluez',
  board: 'adafruit-blinka',
  bs4: 'beautifulsoup4',
  cairo: 'pycairo',
  community: 'python-louvain',
  consul: 'python-consul',
  corsheaders: 'django-cors-headers',
  cv2: 'opencv',
  dateutil: 'python-dateutil',
  decouple: 'python-decouple',
  discord: 'discord-py',
  dns: 'dnspython',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  engineio: 'python-engineio',
  environ: 'django-environ',
  fitz: 'pymupdf',
  flask_sqlalchemy: 'flask-sqlalchemy',
  gi: 'pygobject',
  git: 'gitpython',
  github: 'pygithub',
  gitlab: 'python-gitlab',
  google: 'google-',
  google_auth_oauthlib: 'google-auth-oauthlib',
  googleapiclient: 'google-api-python-client',
  grpc: 'grpcio',
  grpc_status: 'grpcio-status',
  imblearn: 'imbalanced-learn',
  jose: 'python-jose',
  jwt: 'pyjwt',
  kafka: 'kafka-python',
  ldap: 'python-ldap',
  lightning: 'pytorch-lightning',
  magic: 'python-magic',
  memcache: 'python-memcached',
  mpl_toolkits: 'matplotlib',
  multipart: 'python-multipart',
  nacl: 'pynacl',
  pkg_resources: 'setuptools',
  playhouse: 'peewee',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  pwiz: 'peewee',
  pydantic_core: 'pydantic',
  pythoncom: 'pywin32',
  rest_framework: 'djangorestframework',
  ruamel: 'ruamel-yaml',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  sksurv: 'scikit-survival',
  slugify: 'python-slugify',
  snappy: 'python-snappy',
  socketio: 'python-socketio',
  socks: 'pysocks',
  speech_recognition: 'speechrecognition',
  starlette: 'fastapi',
  stdnum: 'python-stdnum',
  telegram: 'python-telegram-bot',
  tlz: 'toolz',
  umap: 'umap-learn',
  usb: 'pyusb',
  webdriver_manager: 'webdriver-manager',
  whisper: 'openai-whisper',
  win32api: 'pywin32',
  win32con: 'pywin32',
  win32gui: 'pywin32',
  wx: 'wxpython',
  yaml: 'pyyaml',
  zmq: 'pyzmq',
};
