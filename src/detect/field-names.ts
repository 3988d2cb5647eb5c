// What the name of a column or a field says about its values. One table: the risk of a query and the suggestions for a
// new source are both made from it.

/**
 * `secret` gives access, `identity` identifies or exposes a person, `contact` reaches a person.
 */
export type FieldMeaning = 'secret' | 'identity' | 'contact';

/** Parts of names, in snake case. */
const words: Readonly<Record<FieldMeaning, string>> = {
  secret:
    'password passwd passwords pwd passphrase secret secrets token api_?key private_?key access_?key secret_?key pin cvv cvc otp totp_?\\w* mfa_secret recovery_?codes?',
  identity:
    'ssn social_?security(?:_?(?:no|number))? national_?id cpf cnpj rg passport driver_?licen[cs]e tax_?id iban bank_?account routing_?number credit_?card card_?number salary dob birth_?date birthday date_?of_?birth diagnosis medical religion ethnicity',
  contact:
    'e_?mail email_?address phone phone_?(?:no|number) telephone mobile cell_?phone fax address street address_?line_?\\d? first_?name last_?name full_?name surname maiden_?name ip_?address',
};

/** Parts that say that the value is about the thing, and not the thing itself. */
const about = '_(?:at|on|count|expires|expiry|enabled|verified|required|changed|type|kind)$';

const patterns = (Object.entries(words) as [FieldMeaning, string][]).map(([meaning, list]) => {
  // A contact that is referred to by its key is in another table.
  const not = meaning === 'contact' ? `${about}|_id$` : about;
  return [meaning, new RegExp(`(?:^|_)(?:${list.split(' ').join('|')})(?!\\w*(?:${not}))(?:_|$)`)] as const;
});

/** What the values of a field are by its name, `cardNumber` or `card_number`; null where the name says nothing. */
export function meaningOfName(name: string): FieldMeaning | null {
  const snake = name
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
  return patterns.find(([, pattern]) => pattern.test(snake))?.[0] ?? null;
}
