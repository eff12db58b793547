import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { bytes, duration } from '../../shared/format/figures.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'

type Facts = Output<'debug_session'>

export function SessionFacts({ from, to, thread, sessionId, status, ...facts }: Facts) {
  const figures = useProcessFigures(sessionId)
  const { launchCommand, terminalCommand, teamSnapshot, isolation } = facts
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base font-semibold wrap-anywhere">
          {from} → {to}
          {thread === 'main' ? '' : ` #${thread}`}
        </h2>
        <Badge tone={status === 'archived' ? 'plain' : 'good'}>{status}</Badge>
        <span className="font-mono text-xs wrap-anywhere">{sessionId}</span>
        <CopyButton text={sessionId} label="Copy the id of the session" />
        <Link to="/conversations/$sessionId" params={{ sessionId }} className="text-accent underline">
          Open the conversation
        </Link>
      </div>
      <Part title="Take it over in a terminal" copied={terminalCommand}>
        {terminalCommand === null ? (
          <p>Its team has been removed from config.yaml.</p>
        ) : (
          <Code text={terminalCommand} />
        )}
      </Part>
      <Part title="Launch command" copied={launchCommand}>
        {launchCommand === null ? <p>No process was ever started for it.</p> : <Code text={launchCommand} />}
      </Part>
      <Process {...facts.process} figures={figures} />
      <Part title="Isolation" copied={null}>
        {isolation === null ? (
          <p>Its team has been removed from config.yaml.</p>
        ) : (
          <p className="wrap-anywhere">
            <Badge>{isolation.level}</Badge>{' '}
            <Badge tone={isolation.holds ? 'good' : 'bad'}>{isolation.holds ? 'holds' : 'does not hold'}</Badge>{' '}
            {isolation.detail}
          </p>
        )}
      </Part>
      <Part title="The team in config.yaml at that time" copied={teamSnapshot && JSON.stringify(teamSnapshot, null, 2)}>
        {teamSnapshot === null ? (
          <p>No process was ever started for it.</p>
        ) : (
          <List facts={Object.entries(teamSnapshot).map(([key, value]) => [key, shown(value)])} />
        )}
      </Part>
    </>
  )
}

function Process({
  state,
  pid,
  resumed,
  toolsRunning,
  lastWords,
  figures,
}: Facts['process'] & { readonly figures: Figures }) {
  const facts: (readonly [string, string])[] = [['state', state]]
  if (pid !== undefined) facts.push(['pid', String(pid)])
  if (resumed !== undefined)
    facts.push(['started', resumed ? 'to go on with the conversation' : 'with a new conversation'])
  facts.push(...figures)
  if (toolsRunning !== undefined) facts.push(['tools running', toolsRunning.join(', ') || 'none'])
  return (
    <Part title="Process" copied={lastWords ?? null}>
      <List facts={facts} />
      {lastWords !== undefined && (
        <>
          <h4 className="text-muted mt-2">The end of what it wrote to stderr</h4>
          <Code text={lastWords} />
        </>
      )}
    </Part>
  )
}

type Figures = readonly (readonly [string, string])[]

/** How long its process runs, what it holds, and how often it was started. */
function useProcessFigures(sessionId: string): Figures {
  const { data } = useOperation('get_switchboard', { awake: true, memory: true })
  const now = useNow()
  const session = data?.sessions.find((each) => each.sessionId === sessionId)
  if (session === undefined) return []
  const { startedAt, memoryBytes, starts = 0, failures = 0 } = session
  return [
    ...(startedAt === undefined ? [] : [['uptime', duration(Math.max(0, now - startedAt))] as const]),
    ...(memoryBytes === undefined ? [] : [['memory', bytes(memoryBytes)] as const]),
    ['restarts', `${Math.max(0, starts - 1)}${failures > 0 ? `, ${failures} failed` : ''}`],
  ]
}

interface PartProps {
  readonly title: string
  /** What the button beside the title copies; null: there is none. */
  readonly copied: string | null
  readonly children: ReactNode
}

function Part({ title, copied, children }: PartProps) {
  return (
    <section aria-label={title} className="border-line bg-panel rounded-lg border p-3">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h3 className="font-semibold">{title}</h3>
        {copied !== null && <CopyButton text={copied} label={`Copy: ${title}`} />}
      </div>
      {children}
    </section>
  )
}

function Code({ text }: { readonly text: string }) {
  return <pre className="bg-page rounded-md p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">{text}</pre>
}

function List({ facts }: { readonly facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted wrap-anywhere">{name}</dt>
          <dd className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}
