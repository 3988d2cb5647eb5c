// sallyport grants: the standing permissions that a person made, and taking them back.

import { exitCodes, namedId, UsageError, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';

export const command: Command = {
  usage: ['grants', 'grants revoke ID'],
  about:
    'Lists standing permissions, or takes one back. They are made with sallyport approve ID --grant TIME.',
  options: {},
  async run(call) {
    const { world } = openHome(call);
    const now = world.now();
    if (call.words[0] === 'revoke') {
      const [, given] = onlyWords(call, ['revoke', 'ID']);
      const grant = await withLedger(call, async (ledger) => {
        const ids = (await ledger.grants.list({}, now)).map(({ id }) => id);
        const id = namedId(given, ids, { what: 'grant', hint: "see 'sallyport grants'" });
        return await ledger.grants.revoke(id, {}, now);
      });
      if (call.flag('json')) call.io.json(grant);
      else call.io.print(`Revoked: ${grant.id} (${visible(grant.effect)}).`);
      return exitCodes.pass;
    }
    if (call.words.length > 0) {
      throw new UsageError(`unknown word "${call.words[0]}"`, "see 'sallyport grants --help'");
    }
    const grants = await withLedger(call, (ledger) => ledger.grants.list({}, now));
    if (call.flag('json')) call.io.json(grants);
    else if (grants.length === 0) call.io.print('No grants stand.');
    else {
      for (const { id, effect, agent, workspace, expiresAt } of grants) {
        call.io.print(`${id}  ${visible(effect)}  agent ${visible(agent)}  in ${visible(workspace)}`);
        call.io.print(`          until ${new Date(expiresAt).toISOString()}`);
      }
    }
    return exitCodes.pass;
  },
};
