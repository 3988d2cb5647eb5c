// The configuration: its location, its valid content, and the effective settings for an agent in a workspace.

export {
  ApproverError,
  type ApproverFile,
  type Cost,
  changePassphrase,
  createApprover,
  existingFile,
  hardCost,
  leastCost,
  loginSigner,
  newKey,
  newPassphrase,
  readApprover,
  readWaitingApprover,
  type Signer,
  storeKey,
  unlockApprover,
  unwrapKey,
  useWaitingKey,
  WrongPassphrase,
} from './approver.ts';
export { checkConfig } from './check.ts';
export type { OwnRule } from './command.ts';
export type { DetectionRule } from './detection.ts';
export { ConfigError, type ConfigProblem } from './errors.ts';
export {
  AlreadyExists,
  clientProgramMode,
  diskWorld,
  type Environment,
  type HomePaths,
  homeFolder,
  homeIsExposed,
  isInside,
  paths,
  prepareHome,
  readRegularFile,
  removeHome,
  writeClientProgram,
  writeHeld,
  writePrivate,
} from './home.ts';
export { destinationOf, type Provider } from './llm.ts';
export {
  type Config,
  configOf,
  type LedgerConfig,
  loadConfig,
  settingsFrom,
  type UserHook,
  type Where,
  withoutCredentials,
  withPolicies,
  withTools,
} from './load.ts';
export { type ConfigSource, displayPath, readPolicyFile } from './reading.ts';
export { newRecoveryCode, recoveryKey } from './recovery.ts';
export { configSchema } from './schema.ts';
export { type Profile, profiles } from './sections/agents.ts';
export type { ServerPlace, ServerSandbox, UpstreamServer } from './servers.ts';
export type { ChangeSettings, PolicySource, SandboxSettings, Settings } from './settings.ts';
export { showConfig } from './show.ts';
export { verifySignature } from './signature.ts';
export {
  type Account,
  account,
  giveToAccount,
  isAccountName,
  isOwnDescriptor,
  isOwnPlace,
  ownFolders,
  recordText,
  refuseOwnPlace,
  type SystemDaemon,
  systemDaemons,
  systemPlaces,
  worksForAnother,
  writeForAccount,
} from './system.ts';
export { isTrusted, listTrusted, trustFile, untrustFile } from './trust.ts';
export { hashPassphrase, userSigner } from './user-keys.ts';
export { type Role, roles, type User } from './users.ts';
