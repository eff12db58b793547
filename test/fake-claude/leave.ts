import type { Session } from './session.ts'

/** A clean end: the transcript is written first. */
export function leave(session: Session, code: number): void {
  session.close()
  session.world.record({ event: 'exit', code })
  session.world.self.exit(code)
}
