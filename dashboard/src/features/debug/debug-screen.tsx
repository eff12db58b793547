import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../shared/api/use-operation.ts'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { SessionChoice } from './session-choice.tsx'
import { SessionFacts } from './session-facts.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/debug')

/** How a conversation is run: with which command, which settings, what is hidden from it. */
export function DebugScreen() {
  const { session } = route.useSearch()
  return (
    <Screen title={texts.debug}>
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <SessionChoice chosen={session} />
        {session === undefined ? (
          <Empty title={texts.chooseAConversationTo} />
        ) : (
          <Chosen key={session} sessionId={session} />
        )}
      </div>
    </Screen>
  )
}

function Chosen({ sessionId }: { readonly sessionId: string }) {
  const query = useOperation('debug_session', { sessionId })
  return (
    <section aria-label={texts.howItIsRun} className="flex min-w-0 flex-col gap-4">
      <p className="text-muted flex items-center gap-2">
        <span className="flex-1">{texts.secretsAreRemovedFrom}</span>
        {query.data && <CopyButton text={JSON.stringify(query.data, null, 2)} label={texts.copyAllOfIt} />}
      </p>
      <QueryView query={query} what={texts.loadedFacts}>
        {(facts) => <SessionFacts {...facts} />}
      </QueryView>
    </section>
  )
}
