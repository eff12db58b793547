import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { KnownParticipantsParts } from '../../kernel/call/known-participants.ts'
import { homePaths } from '../../platform/config/home.ts'
import type { Store } from '../../platform/store/store.ts'
import { searchFor } from './handlers.ts'
import { indexMessages } from './index-messages.ts'
import { Search } from './search.ts'

interface Needs extends KnownParticipantsParts {
  readonly clock: Clock
  readonly database: Store
  readonly events: Observable<PublishedEvent>
}

/** Finds words in messages and answers. The index is its own file, which its own thread keeps up to date. */
export const search = feature('search', (parts: Needs) => {
  const { clock, config, database, events } = parts
  const found = new Search({ store: database.path, index: homePaths(config().home).searchIndex }, clock.machine)
  let endIndexing = (): void => {}
  return {
    gives: { search: found },
    handlers: { search_messages: (input, call) => searchFor(input, call, { ...parts, search: found }) },
    begin() {
      endIndexing = indexMessages(events, { search: found, clock })
    },
    quiet: () => endIndexing(),
    ended: () => found.close(),
    storePutBack: () => void found.close('the store was put back'),
  }
})
