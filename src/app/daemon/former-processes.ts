import type { Hosts } from '../../kernel/pool/hosts.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import type { RemoteHost } from '../../platform/hosts/remote-host.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { ProcessRows } from '../../platform/store/process-rows.ts'

/** Returns a test: whether a uuid is the newest delivery of a turn that has not ended. */
export function awaitedIn(ledger: Ledger): (uuid: string) => boolean {
  return (uuid) => ledger.unsettled().some(({ id }) => ledger.deliveriesOf(id).at(-1)?.uuid === uuid)
}

interface OtherHosts {
  readonly processRows: Pick<ProcessRows, 'left' | 'mirrorAllStopped' | 'leftHaveEnded'>
  readonly launcher: { readonly programs: Pick<Launcher['programs'], 'remoteOf'> }
  readonly hosts: Pick<Hosts, 'of'>
}

/**
 * Processes on other machines that an earlier daemon did not see end. `begin` ends them, except those with awaited
 * messages. It does so at once, because a daemon may have no other reason to contact that machine. If a machine cannot
 * be reached, the next daemon tries again.
 */
export function leftElsewhere({ processRows: rows, launcher, hosts }: OtherHosts): { begin(): void } {
  const left = new Map<RemoteHost, number[]>()
  for (const { id, to } of rows.left()) {
    const team = launcher.programs.remoteOf(to)
    if (team === undefined) continue
    const { host } = hosts.of(team)
    left.set(host, [...(left.get(host) ?? []), id])
  }
  rows.mirrorAllStopped([...left.values()].flat())
  return {
    begin() {
      for (const [host, ids] of left) {
        host.endFormer().then(
          () => rows.leftHaveEnded(ids),
          () => {},
        )
      }
    },
  }
}
