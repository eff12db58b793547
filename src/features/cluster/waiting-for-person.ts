import type { AskedPerson } from '../../kernel/session/other-hosts.ts'

const atHost = / at ([\w-]+)$/

/** `what` is `Bash (backend)`, or `Bash (backend) at studio` if the person is asked on a further host. */
export function waitingForPerson(what: string | undefined, self: string): AskedPerson | undefined {
  if (what === undefined) return undefined
  const host = atHost.exec(what)?.[1]
  return host === undefined ? { what, host: self } : { what: what.replace(atHost, ''), host }
}
