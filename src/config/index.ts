// The configuration: where it is, what it may say, and what is in force for an agent in a workspace.

export {
  type Approver,
  ApproverError,
  changePassphrase,
  createApprover,
  readApprover,
  type Signer,
  unlockApprover,
  verifyByApprover,
  WrongPassphrase,
} from './approver.ts';
export { type ConfigReport, checkConfig, type FileReport } from './check.ts';
export type { DetectionRule } from './detection.ts';
export { ConfigError, type ConfigProblem, displayPath, HomeError } from './errors.ts';
export {
  AlreadyExists,
  type ConfigWorld,
  diskWorld,
  type Environment,
  type HomePaths,
  homeFolder,
  homeIsExposed,
  isInside,
  paths,
  prepareHome,
  writePrivate,
} from './home.ts';
export { destinationOf, type Provider, type ProviderForm } from './llm.ts';
export {
  type Config,
  type ConfigSource,
  type LedgerConfig,
  loadConfig,
  type SnapshotsConfig,
  type TelemetryConfig,
  type UserHook,
} from './load.ts';
export { settingsFrom, type Where, withPolicies, withTools } from './merge.ts';
export { readPolicyFile } from './policies.ts';
export { configSchema } from './schema.ts';
export type { ServerPlace, UpstreamServer } from './servers.ts';
export {
  type Autonomy,
  type ChangeBudget,
  type ChangeSettings,
  type FetchRule,
  type Guideline,
  type GuidelineSettings,
  type JudgeSettings,
  type Network,
  type OwnRule,
  type PolicySource,
  type Profile,
  profiles,
  type SandboxSettings,
  type Settings,
} from './settings.ts';
export { isTrusted, listTrusted, type Trust, type TrustEntry, trustFile, untrustFile } from './trust.ts';
