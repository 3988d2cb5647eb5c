// What a validator of a rule is: pure, linear, and shown no more than the head of a secret and what stands left of it.

/** Whether the secret counts; `left` is what stands directly before it. */
export type Check = (secret: string, left: string) => boolean;
