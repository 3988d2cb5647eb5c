// The names of fields in the words of requests: how they are spelled, and which inputs name them.

/** Words of arguments and inputs that choose or order. */
export const choosing = /where|filter|cond|sort|order|distinct|having|group|search|match|conflict/i;
/** Those whose texts name fields. */
export const naming = /sort|order|distinct|group|fields?$|columns?$/i;

/** One spelling for `birthDate`, `birth_date` and `BIRTH_DATE`. */
export function spelled(name: string): string {
  return wordsOf(name).join('_');
}

/** The words of a name, in small letters. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split('_')
    .filter((word) => word !== '');
}
