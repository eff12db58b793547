import type { Line } from '../../base/agent/line.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Observable } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { OtherModel } from '../../base/protocol/turn.ts'
import type { ModelChangeRows } from '../../platform/store/model-changes.ts'
import { ModelOfTurn } from './model-of-turn.ts'

interface ModelChangesParts {
  readonly everything$: Observable<PublishedEvent>
  readonly rows: Pick<ModelChangeRows, 'put'>
  readonly log: Log
}

/** Records turns that are answered by a model other than that of their conversation. */
export function recordModelChanges({ everything$, rows, log }: ModelChangesParts): void {
  const turns = new Map<string, { readonly model: ModelOfTurn; last?: string }>()
  const record = (turnId: string, other: OtherModel): void => {
    try {
      rows.put(turnId, other)
      log.warn('Another model answers', { turnId, ...other })
    } catch (error) {
      log.warn(`cannot record that ${other.model} answers: ${String(error)}`, { turnId })
    }
  }
  everything$.subscribe((event) => {
    if (event.type === 'turn-settled') turns.delete(event.turnId)
    if (event.type !== 'turn-message') return
    const turn = turns.get(event.turnId) ?? { model: new ModelOfTurn() }
    turns.set(event.turnId, turn)
    const other = turn.model.take(event.message as Line)
    if (other === undefined || other.model === turn.last) return
    turn.last = other.model
    record(event.turnId, other)
  })
}
