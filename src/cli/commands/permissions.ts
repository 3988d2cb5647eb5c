// sallyport permissions: the standing permissions that a person made, and revoking them.

import { exitCodes, namedId, UsageError, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';
import { linesOf, whatOf } from '../permitted.ts';

export const command: Command = {
  usage: ['permissions', 'permissions revoke ID'],
  about: "Lists permissions, or revokes one. 'sallyport allow' makes them.",
  examples: ['permissions', 'permissions revoke 00cc7d3b'],
  options: {},
  async run(call) {
    const { world } = openHome(call);
    const now = world.now();
    if (call.words[0] === 'revoke') {
      const [, given] = onlyWords(call, ['revoke', 'ID']);
      const permission = await withLedger(call, async (ledger) => {
        const ids = (await ledger.permissions.list({}, now)).map(({ id }) => id);
        const id = namedId(given, ids, { what: 'permission', hint: "see 'sallyport permissions'" });
        return await ledger.permissions.revoke(id, {}, now);
      });
      if (call.flag('json')) call.io.json(permission);
      else call.io.print(`Revoked: ${permission.id} (${visible(whatOf(permission))}).`);
      return exitCodes.pass;
    }
    if (call.words.length > 0) {
      throw new UsageError(`unknown word "${call.words[0]}"`, "see 'sallyport permissions --help'");
    }
    const permissions = await withLedger(call, (ledger) => ledger.permissions.list({}, now));
    if (call.flag('json')) call.io.json(permissions);
    else if (permissions.length === 0) call.io.print('There are no permissions.');
    else for (const permission of permissions) for (const line of linesOf(permission)) call.io.print(line);
    return exitCodes.pass;
  },
};
