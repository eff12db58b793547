import type { AgentProcess } from '../../base/agent/process.ts'
import type { CutOff } from '../../base/lib/program-end.ts'
import { exitText } from '../../claude/driver/exit-text.ts'
import type { Session } from '../session/session.ts'
import type { Breakers } from './breakers.ts'
import type { PoolParts } from './pool-parts.ts'

/** How many of a failed process's last stderr lines are reported. */
const linesOfCause = 3

interface Heard {
  readonly onUnsolicited: () => void
  /** Called when the process's lines name another session, so that its output cannot be trusted. */
  readonly onForeign: (why: string) => void
  readonly onExited: () => void
}

/** Publishes what a process does from its start to its end, whichever turn uses it. */
export function watchProcess(
  session: Session,
  process: AgentProcess,
  { clock, publish, mirror, unsolicited }: PoolParts,
  breakers: Breakers,
  { onUnsolicited, onForeign, onExited }: Heard,
): void {
  session.processStarted()
  const { pid, resumed, readyMs } = process
  publish({ type: 'process-spawned', teamName: session.to, pid, resumed, readyMs, ...session.ids })
  mirror(session, 'idle')
  process.unsolicited$.subscribe((turn) => {
    unsolicited.ended(session, turn)
    onUnsolicited()
  })
  process.foreign$.subscribe((sessionId) => {
    const error = `its output names session ${sessionId} instead of ${session.sessionId}`
    publish({ type: 'process-error', teamName: session.to, error, ...session.ids })
    onForeign(error)
  })
  let lost: CutOff | undefined
  process.link.cutOff$?.subscribe((cutOff) => {
    const whose = { teamName: session.to, ...session.ids }
    if (cutOff) publish({ type: 'link-lost', host: cutOff.host, why: cutOff.why, ...whose })
    else if (lost && process.state !== 'stopped')
      publish({ type: 'link-restored', host: lost.host, lostMs: clock.now() - lost.since, ...whose })
    lost = cutOff
  })
  void process.exited.then(({ code, signal }) => {
    if (process.diedByItself) {
      const error = exitText({ code, signal }, process.stderr, linesOfCause)
      publish({ type: 'process-error', teamName: session.to, error, ...session.ids })
      breakers.failed(session, error)
    }
    unsolicited.cutOff(session, process.commandsLeft)
    publish({ type: 'process-exited', teamName: session.to, pid, code, signal, ...session.ids })
    onExited()
  })
}
