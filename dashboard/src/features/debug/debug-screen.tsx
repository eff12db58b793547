import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../shared/api/use-operation.ts'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { SessionChoice } from './session-choice.tsx'
import { SessionFacts } from './session-facts.tsx'

const route = getRouteApi('/debug')

/** How a conversation is run: with which command, which settings, what is hidden from it. */
export function DebugScreen() {
  const { session } = route.useSearch()
  return (
    <Screen title="Debug">
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <SessionChoice chosen={session} />
        {session === undefined ? (
          <Empty title="Choose a conversation to see how it is run." />
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
    <section aria-label="How it is run" className="flex min-w-0 flex-col gap-4">
      <p className="text-muted flex items-center gap-2">
        <span className="flex-1">Secrets are removed from this page: you can show it to others.</span>
        {query.data && <CopyButton text={JSON.stringify(query.data, null, 2)} label="Copy all of it" />}
      </p>
      <QueryView query={query} what="how it is run">
        {(facts) => <SessionFacts {...facts} />}
      </QueryView>
    </section>
  )
}
