// Processes whose clock is wrong.

const hourMs = 60 * 60 * 1000;

/** The variables with which a Node process believes that it is some hours later, or earlier. */
export function clock(hours: number): Readonly<Record<string, string>> {
  const program = `const { Date: Real } = globalThis;
    const now = () => Real.now() + ${hours * hourMs};
    globalThis.Date = class extends Real {
      constructor(...given) { if (given.length === 0) super(now()); else super(...given); }
      static now() { return now(); }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}
