// The LLM proxy, as the daemon mounts it.

export { LlmProxy, type ProxyCall, type ProxyOptions } from './serve.ts';
