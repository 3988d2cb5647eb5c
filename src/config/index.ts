// The configuration: where it is, what it may say, and what is in force for an agent in a workspace.

export {
  ApproverError,
  changePassphrase,
  createApprover,
  leastCost,
  readApprover,
  type Signer,
  unlockApprover,
  verifyByApprover,
  WrongPassphrase,
} from './approver.ts';
export { checkConfig } from './check.ts';
export type { DetectionRule } from './detection.ts';
export { ConfigError, type ConfigProblem, displayPath } from './errors.ts';
export {
  AlreadyExists,
  diskWorld,
  type Environment,
  type HomePaths,
  homeFolder,
  homeIsExposed,
  isInside,
  paths,
  prepareHome,
  readRegularFile,
  writeClientProgram,
  writeHeld,
  writePrivate,
} from './home.ts';
export { holdsKey, type KeyProof, keyProofShape, proveKey } from './key-proof.ts';
export { destinationOf, type Provider } from './llm.ts';
export {
  type Config,
  type ConfigSource,
  type LedgerConfig,
  loadConfig,
  type UserHook,
} from './load.ts';
export { settingsFrom, type Where, withPolicies, withTools } from './merge.ts';
export { readPolicyFile } from './policies.ts';
export { configSchema } from './schema.ts';
export type { ServerPlace, UpstreamServer } from './servers.ts';
export {
  type ChangeSettings,
  type Network,
  type OwnRule,
  type PolicySource,
  type Profile,
  profiles,
  type SandboxSettings,
  type Settings,
} from './settings.ts';
export {
  type Account,
  account,
  giveToAccount,
  isAccountName,
  isOwnDescriptor,
  isOwnPlace,
  makeFolders,
  ownFolders,
  recordText,
  type SystemDaemon,
  type SystemPlaces,
  systemDaemons,
  systemPlaces,
  systemUserOf,
  worksForAnother,
} from './system.ts';
export { listTrusted, trustFile, untrustFile } from './trust.ts';
export { hashPassphrase, unlockUser } from './user-keys.ts';
export { type Role, roles, type User } from './users.ts';
