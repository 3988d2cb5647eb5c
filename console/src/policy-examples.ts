// Policies to begin with, by purpose. They are tested: each is accepted by what the page hands it to.

export const policyExamples = [
  {
    purpose: 'Nobody deletes these rows',
    text: `@id("no_deletes_of_orders")
@reason("Nobody deletes orders.")
forbid (principal, action == CodeMode::Action::"Delete", resource);`,
  },
  {
    purpose: 'Ask before a command talks to the network',
    text: `@id("network_asks")
@decision("approve")
@reason("this command talks to the network")
forbid (principal, action == Action::"shell", resource)
when { context.effects.contains("connect") };`,
  },
  {
    purpose: 'Only people add dependencies',
    text: `@id("no_package_managers")
@reason("dependencies are added by people")
forbid (principal, action == Action::"shell", resource)
when { context.programs.containsAny(["npm", "pnpm", "yarn", "pip", "cargo"]) && context.changes };`,
  },
  {
    purpose: 'Ask before migrations are written',
    text: `@id("migrations_ask")
@decision("approve")
@reason("a migration runs once, everywhere")
forbid (principal, action == Action::"write", resource)
when { context has path && context.path like "db/migrations/*" };`,
  },
  {
    purpose: 'One agent only reads',
    text: `@id("reader_reads")
@reason("the reader only reads")
forbid (
  principal == Agent::"reader",
  action in [Action::"write", Action::"shell", Action::"python", Action::"code", Action::"irreversible"],
  resource
);`,
  },
  {
    purpose: 'No mail from agents',
    text: `@id("no_mail_at_all")
@reason("agents send no mail")
forbid (principal, action, resource == Tool::"send_email");`,
  },
] as const;
