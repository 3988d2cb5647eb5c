// VMs: each is created from the memory of one that ran the prelude, has its limits and its clock, and no system access.

import type { HostFunction, JSValueHandle, QuickJS, QuickJSOptions, Snapshot } from 'quickjs-wasi';
import { allowedGlobals } from '../../guards/code/names.ts';
import type { Limits } from './limits.ts';
import { prelude } from './prelude.ts';

/** The globals that remain beside the names that code may refer to; none of them creates code or leads out. */
const besides = ['globalThis', 'Function'];
/** Names that stay in a VM, as its prelude takes them. */
export const kept = JSON.stringify(
  Object.fromEntries([...allowedGlobals, ...besides].map((name) => [name, true])),
);

/** The host functions; their names may appear in a stack trace and reveal nothing. */
const ways = ['1', '2', '3', '4', '5', '6'] as const;
export type Ways = Readonly<Record<(typeof ways)[number], HostFunction>>;

/** The largest memory, in bytes, with which a VM serves again: memory never shrinks. */
const cacheLimit = 2_000_000;

/** The memory of a VM, and where in it the engine and the ways into the VM are. */
export interface Image extends Omit<Snapshot, 'extensions'> {
  readonly inner: number;
}

/** The host state of the code in a VM: its clock, in milliseconds, whether its time is over, and its rejections. */
interface Host {
  readonly clock: number;
  mustStop(): boolean;
  /** A promise was rejected without a handler, or has one now. */
  rejected(promise: JSValueHandle, isHandled: boolean): void;
}

/** A VM, the object in it that holds the ways into it, and whose code runs in it. */
export interface Vm {
  readonly vm: QuickJS;
  readonly inner: JSValueHandle;
  host: Host | null;
}

/** Makes VMs; loaded once for a thread. */
export interface VmMaker {
  readonly library: typeof import('quickjs-wasi');
  /** A VM that only compiles: in a VM that runs code, no code can be created. */
  readonly compiler: QuickJS;
  /** A VM that no code has seen. */
  fresh(): Promise<Vm>;
  /** A VM as it once was. */
  restored(image: Image): Promise<Vm>;
  /** Makes a VM of `fresh` what it was before its code; false if its memory has grown too large. */
  reset(used: Vm): boolean;
}

export async function loadVms(
  wasm: QuickJSOptions['wasm'],
  { memoryMb, stackKb }: Pick<Limits, 'memoryMb' | 'stackKb'>,
): Promise<VmMaker> {
  const library: VmMaker['library'] = await import('quickjs-wasi');
  const { QuickJS: Engine, EvalFlags, CompileFlags, Intrinsics } = library;
  const bounds = { wasm, memoryLimit: memoryMb * 1_048_576, maxStackSize: stackKb * 1024 };
  const compiler = await Engine.create(bounds);
  const stripped = CompileFlags.STRIP_DEBUG | CompileFlags.STRIP_SOURCE;
  const setup = compiler.compile(prelude, '', EvalFlags.STRICT, stripped);

  const optionsFor = (host: () => Host | null): QuickJSOptions => ({
    ...bounds,
    timezoneOffset: 0,
    interruptHandler: () => host()?.mustStop() ?? false,
    onUnhandledRejection: (promise, _reason, isHandled) => host()?.rejected(promise, isHandled),
    wasi: (memory) => ({
      clock_time_get: (_clock, _precision, at) => {
        const nanoseconds = BigInt(Math.floor((host()?.clock ?? 0) * 1000)) * 1000n;
        new DataView(memory.buffer).setBigUint64(at, nanoseconds, true);
        return 0;
      },
      random_get: (at, length) => {
        new Uint8Array(memory.buffer, at, length).fill(1);
        return 0;
      },
      fd_write: (_descriptor, _vectors, _count, at) => {
        new DataView(memory.buffer).setUint32(at, 0, true);
        return 0;
      },
    }),
  });

  /** The memory of a VM in which the prelude ran, without the functions that create code, or replace an object. */
  async function first(): Promise<Image> {
    const intrinsics = Intrinsics.ALL & ~Intrinsics.EVAL & ~Intrinsics.PROXY;
    const vm = await Engine.create({ ...optionsFor(() => null), intrinsics });
    // Most code ends before it has garbage worth collecting.
    vm.gcThreshold = bounds.memoryLimit / 8;
    const outside = ways.map((name) => vm.newFunction(name, () => vm.undefined));
    const inner = vm.callFunction(vm.evalBytecode(setup), vm.undefined, ...outside, vm.newString(kept));
    const image = imageOf({ vm, inner, host: null });
    vm.dispose();
    return image;
  }

  async function restored(image: Image): Promise<Vm> {
    let whole: Vm | undefined;
    const vm = await Engine.restore(
      { ...image, extensions: [] },
      optionsFor(() => whole?.host ?? null),
    );
    whole = { vm, inner: vm.importHandle(image.inner), host: null };
    // The library's state of a VM is part of its memory, and so of what `reset` restores.
    vm.undefined;
    return whole;
  }

  const begun = await first();
  const model = imageOf(await restored(begun));
  return {
    library,
    compiler,
    fresh: () => restored(begun),
    restored,
    reset(used) {
      if (used.vm._getMemory().buffer.byteLength > cacheLimit) return false;
      putBack(used, model);
      used.host = null;
      return true;
    },
  };
}

/** Lets a VM reach its host. */
export function connect({ vm }: Vm, hosts: Ways): void {
  for (const way of ways) vm.registerHostCallback(way, hosts[way]);
}

/**
 * Restores the initial state of a VM. INVARIANT: all state of a VM is in its memory and its stack pointer, so nothing
 * else is left.
 */
export function putBack({ vm }: Vm, { memory, stackPointer }: Image): void {
  const current = new Uint8Array(vm._getMemory().buffer);
  current.set(memory);
  current.fill(0, memory.length);
  vm._getExports().__stack_pointer.value = stackPointer;
}

/**
 * Whether the stack of a VM was ever filled by more than half: it grows down, and its content stays in its memory, so
 * that no code can forge it.
 */
export function hasFilledStack({ vm }: Vm, stackKb: number): boolean {
  const end = vm._getExports().__stack_pointer.value - stackKb * 1024;
  return new Uint8Array(vm._getMemory().buffer, Math.max(0, end), stackKb * 512).some((byte) => byte !== 0);
}

/** A VM as it is now. */
export function imageOf({ vm, inner }: Vm): Image {
  const { memory, stackPointer, runtimePtr, contextPtr } = vm.snapshot();
  return { memory, stackPointer, runtimePtr, contextPtr, inner: vm.exportHandle(inner) };
}
