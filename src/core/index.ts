// The words that everything else is said in. Pure: no files, no clock, no network.

export {
  type Action,
  type ActionOf,
  type Kind,
  kinds,
  longestCommandMs,
  type Mode,
  modes,
  readAction,
  type WireContext,
  wireContext,
} from './action.ts';
export type { Database, DatabaseSchema, DatabaseSource, Estimate } from './database.ts';
export type { CommandFacts, CommandView } from './effect.ts';
export {
  BudgetExceeded,
  ConflictError,
  type ExitCode,
  exitCodes,
  InputError,
  LimitError,
  messageOf,
  NotAllowed,
  NotFoundError,
  SallyportError,
  UsageError,
} from './errors.ts';
export {
  Budget,
  type Child,
  type Circumstances,
  type Found,
  type Guard,
  type GuardEvent,
  type GuardInput,
  type JudgedPart,
  type Judgement,
  type Learned,
  type Listed,
  programsIn,
  type Question,
  type RunningProcess,
  type Spot,
  type StreamGuard,
  type StreamStep,
  type Unreviewed,
  type World,
} from './guard.ts';
export { type HookEvent, type HostName, hookEvents, hostNames } from './hook.ts';
export { namedId, shortestId, shortIds } from './ids.ts';
export {
  canonicalJson,
  decodeUtf8,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  parseJson,
} from './json.ts';
export type { Atom, Origins, SessionTexts, Suspect, TextSource } from './origin.ts';
export { attempt, isPending, type Lazy, lazily, type MaybePromise, once, whenReady } from './ready.ts';
export {
  type ApproverKind,
  type ApproverStatement,
  answerPayload,
  approverKinds,
  approverPayload,
  boundText,
  clockSlackMs,
  consoleOrigin,
  disconnectionPayload,
  endingPayload,
  grantFields,
  isPayload,
  type Kdf,
  kdfLimits,
  loginPurpose,
  type Payload,
  passkeyName,
  privateKeyPrefix,
  purposes,
  sealedText,
  sealing,
  sessionPayload,
  signedText,
  usualPort,
} from './signing.ts';
export type { Standing } from './standing.ts';
export {
  hasReferences,
  indexedSource,
  type MissingName,
  type ModuleTable,
  type Overview,
  type SourceTree,
  type SymbolCheck,
  type Symbols,
  symbolCheckOf,
  symbolFacts,
  type Unchecked,
  type UncheckedReason,
  uncheckedWords,
} from './symbols.ts';
export type {
  Code,
  JavascriptNode,
  ModuleOffers,
  ModuleReader,
  ModuleVisitors,
  ParsePython,
  ParseSql,
  PythonNode,
  ReadCode,
  Readers,
  ReadModule,
} from './syntax.ts';
export {
  type Attributes,
  countTokens,
  type OpenSpan,
  type Span,
  spanned,
  type Telemetry,
} from './telemetry.ts';
export { nearest, shellWord, visible } from './text.ts';
export {
  type ArgumentRole,
  type ArgumentSpec,
  argumentRoles,
  type CheckValue,
  outwardEffects,
  type SchemaProblem,
  type SchemaRefusal,
  type Schemas,
  type ToolEffect,
  type ToolSpec,
  toolEffects,
} from './tool.ts';
export {
  type ExtractedText,
  type Extraction,
  type HidingPlace,
  hidingPlaces,
  type Upload,
  type UploadProblem,
} from './upload.ts';
export {
  type ApprovalNotice,
  atLeast,
  type Context,
  classOf,
  closedList,
  type Decision,
  decisions,
  type EffectClass,
  type Example,
  type Facts,
  type Finding,
  type Given,
  type Grant,
  grantShape,
  hostModes,
  isClosed,
  modeDecision,
  modeFromHost,
  type Rule,
  strongerClass,
  strongest,
  type Verdict,
} from './verdict.ts';
export { actionSchema, decisionShape, findingShape, toWire, verdictShape } from './wire.ts';
export { type UnfitWorkspace, unfitWorkspace } from './workspace.ts';
