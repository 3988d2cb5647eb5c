// sallyport apply: a patch becomes a change set that is judged, snapshotted, written as one, and receipted; or waits.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPatch } from '../../core/diff.ts';
import { type ExitCode, exitCodes, messageOf, UsageError, visible } from '../../core/index.ts';
import { type Applied, applyChanges } from '../../run/apply.ts';
import { type Proposal, proposeChanges } from '../../run/proposal.ts';
import { changeOptions, workspaceOption } from '../changes.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openConfig } from '../open.ts';
import { exitCodeOf, showVerdict } from '../show.ts';

export const command: Command = {
  usage: ['apply PATCH', 'apply - < PATCH', 'apply PATCH --stage'],
  about:
    'Applies a patch (a unified diff, or the form that begins with "*** Begin Patch") as one change: judged, snapshotted, all\n' +
    "files or none, with a receipt. 'sallyport undo' reverts it. --stage always lets the change wait for a review.",
  examples: ['apply fix.patch', 'git diff | sallyport apply - --stage'],
  options: {
    ...workspaceOption,
    agent: { value: 'NAME', help: 'agent whose settings apply; default: default' },
    run: { value: 'ID', help: 'run of the change' },
    stage: { help: "let the change wait: see 'sallyport changes'" },
    suggest: { help: 'let the change wait, and never write it' },
  },
  async run(call) {
    const [file] = onlyWords(call, ['PATCH']);
    const edits = readPatch(textOf(call, file));
    const opened = await openConfig(call);
    return await withLedger(call, async (ledger) => {
      const options = await changeOptions(call, opened, ledger);
      // Whoever types this has seen the patch; an agent's shell may not call this command.
      const direct = options.settings.autonomy === null && !call.flag('stage') && !call.flag('suggest');
      if (direct) return sayApplied(call, await applyChanges(edits, options));
      const more = { limits: opened.config.changes, suggest: call.flag('suggest') };
      const settings = call.flag('stage') ? staging(options.settings) : options.settings;
      return sayProposed(call, await proposeChanges(edits, { ...options, ...more, settings }));
    });
  },
};

function textOf(call: Call, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : resolve(call.io.folder(), file), 'utf8');
  } catch (error) {
    throw new UsageError(`the patch cannot be read: ${messageOf(error)}`);
  }
}

/** A review is asked for, so nothing is applied without one. */
function staging<S extends { readonly autonomy: string | null }>(settings: S): S {
  return settings.autonomy === 'autonomous' ? { ...settings, autonomy: 'hybrid' } : settings;
}

function sayProposed(call: Call, proposal: Proposal): ExitCode {
  if (proposal.outcome !== 'staged') return sayApplied(call, { snapshot: null, ...proposal });
  const { change } = proposal;
  const { id, set } = change;
  const files = set?.files ?? [];
  const hunks = files.reduce((sum, file) => sum + file.hunks.length, 0);
  if (call.flag('json')) call.io.json({ decision: 'approve', change: id, files: files.length, hunks });
  else {
    call.io.print(
      `waits    ${id}: ${hunks} hunk(s) in ${files.length} file(s); ${visible(set?.reason ?? '')}`,
    );
    call.io.print(`review it: sallyport changes show ${id}; apply it: sallyport changes apply ${id} --all`);
  }
  return exitCodes.waiting;
}

function sayApplied(call: Call, { verdict, snapshot, receipt }: Applied): ExitCode {
  if (call.flag('json')) {
    call.io.json({
      decision: verdict.decision,
      explanation: verdict.explanation,
      approval: verdict.approval,
      snapshot: snapshot?.id ?? null,
      receipt,
    });
    return exitCodeOf(verdict.decision);
  }
  if (snapshot === null) {
    showVerdict(call.io, verdict);
    return exitCodeOf(verdict.decision);
  }
  for (const { path, before, after } of snapshot.steps) {
    const what = before === null ? 'created' : after === null ? 'deleted' : 'changed';
    call.io.print(`${what}  ${visible(path)}`);
  }
  call.io.print(`receipt ${receipt.receipt_id}; to undo it: sallyport undo ${snapshot.id.slice(0, 8)}`);
  return exitCodes.pass;
}
