// What tools do, by their names.

export type Effect = 'write' | 'message' | 'delete' | 'http' | 'owner';

/** What a tool of this name may do. */
export function effectsOfName(name: string): readonly Effect[] {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const found: Effect[] = [];
  if (/(^|_)(write|edit|save|patch|append|move|rename|create_?file|put_?file|overwrite|apply)/.test(words))
    found.push('write');
  if (
    /(^|_)(send|e?mail|sms|slack|telegram|notify|post|publish|deploy|release|push|pay|charge|refund|bill|invoice|transfer|purchase|order|insert|update|upsert|execute_?sql|run_?sql|webhook)(_|$)/.test(
      words,
    )
  )
    found.push('message');
  if (/(^|_)(delete|remove|drop|truncate|destroy|wipe|purge|terminate|rm|uninstall|revoke)(_|$)/.test(words))
    found.push('delete');
  if (/(^|_)(shell|bash|exec|execute|command|terminal|run_?code|python|run_?command)(_|$)/.test(words))
    found.push('write', 'delete');
  return found;
}
