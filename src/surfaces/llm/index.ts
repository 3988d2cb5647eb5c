// The LLM proxy, as the daemon mounts it.

export { LlmProxy, type ProxyCall } from './serve.ts';
