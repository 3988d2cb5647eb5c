// Who may become whom.

import { beginningOf, effect, inert, nameTarget, type Tool, type Tools } from './tool.ts';

const becomes =
  (detail: string): Tool =>
  (call) => {
    const texts = call.args.map(beginningOf);
    if (
      texts.length > 0 &&
      texts.every((text) =>
        /^(?:-[VvKkl]+|--version|--help|-h|--list|--validate|--remove-timestamp)$/.test(text),
      )
    )
      return inert(call);
    const [operand] = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
    // Without a command it starts a shell, which waits for what it will be told.
    const command = /^(?:su|runuser|newgrp|sg)$/.test(call.program)
      ? texts.some((text) => /^(?:-\w*c|--command|--session-command|-u|--shell)/.test(text)) ||
        call.io.stdinFed === true
      : operand !== undefined || call.io.stdinFed === true;
    return [effect(call, 'privilege', { detail: command ? detail : 'shell', target: nameTarget(operand) })];
  };

export const userTools: Tools = {
  sudo: becomes('sudo'),
  doas: becomes('doas'),
  su: becomes('su'),
  runuser: becomes('su'),
  pkexec: becomes('pkexec'),
  gosu: becomes('su'),
  'su-exec': becomes('su'),
  sg: becomes('group'),
  newgrp: becomes('group'),
  capsh: becomes('capability'),
  setpriv: becomes('capability'),
  'ssh-agent': (call) => inert(call),
};
