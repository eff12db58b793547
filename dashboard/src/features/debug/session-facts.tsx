import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { pairTitle } from '../../shared/format/asker.ts'
import { duration } from '../../shared/format/durations.ts'
import { bytes } from '../../shared/format/figures.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Facts = Output<'debug_session'>

export function SessionFacts({ from, to, thread, sessionId, status, ...facts }: Facts) {
  const figures = useProcessFigures(sessionId)
  const { launchCommand, terminalCommand, teamSnapshot, isolation } = facts
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base font-semibold wrap-anywhere">{pairTitle({ from, to, thread })}</h2>
        {status !== 'active' && <Badge>{texts.statuses[status]}</Badge>}
        <span className="font-mono text-xs wrap-anywhere">{sessionId}</span>
        <CopyButton text={sessionId} label={texts.copyTheIdOf} />
        <Link to="/conversations/$sessionId" params={{ sessionId }} className="text-accent underline">
          {texts.openTheConversation}
        </Link>
      </div>
      <Part title={texts.takeItOverIn} copied={terminalCommand}>
        {terminalCommand === null ? <p>{texts.itsTeamHasBeen}</p> : <Code text={terminalCommand} />}
      </Part>
      <Part title={texts.launchCommand} copied={launchCommand}>
        {launchCommand === null ? <p>{texts.noProcessWasEver}</p> : <Code text={launchCommand} />}
      </Part>
      <Process {...facts.process} figures={figures} />
      <Part title={texts.isolation} copied={null}>
        {isolation === null ? (
          <p>{texts.itsTeamHasBeen}</p>
        ) : (
          <p className="wrap-anywhere">
            <Badge>{isolation.level}</Badge>{' '}
            <Badge tone={isolation.holds ? 'good' : 'bad'}>{isolation.holds ? texts.holds : texts.doesNotHold}</Badge>{' '}
            {isolation.detail}
          </p>
        )}
      </Part>
      <Part title={texts.theTeamInConfig} copied={teamSnapshot && JSON.stringify(teamSnapshot, null, 2)}>
        {teamSnapshot === null ? (
          <p>{texts.noProcessWasEver}</p>
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
  const facts: (readonly [string, string])[] = [[texts.facts.state, texts.processStates[state]]]
  if (pid !== undefined) facts.push([texts.facts.pid, String(pid)])
  if (resumed !== undefined) facts.push([texts.facts.started, resumed ? texts.facts.resumed : texts.facts.withANew])
  facts.push(...figures)
  if (toolsRunning !== undefined) facts.push([texts.facts.tools, toolsRunning.join(', ') || texts.facts.none])
  return (
    <Part title={texts.process} copied={lastWords ?? null}>
      <List facts={facts} />
      {lastWords !== undefined && (
        <>
          <h4 className="text-muted mt-2">{texts.theEndOfWhat}</h4>
          <Code text={lastWords} />
        </>
      )}
    </Part>
  )
}

type Figures = readonly (readonly [string, string])[]

/** How long the process has been running, how much memory it uses, and how often it was started. */
function useProcessFigures(sessionId: string): Figures {
  const { data } = useOperation('get_switchboard', { awake: true, memory: true })
  const now = useNow()
  const session = data?.sessions.find((each) => each.sessionId === sessionId)
  if (session === undefined) return []
  const { startedAt, memoryBytes, starts = 0, failures = 0 } = session
  return [
    ...(startedAt === undefined ? [] : [[texts.facts.uptime, duration(Math.max(0, now - startedAt))] as const]),
    ...(memoryBytes === undefined ? [] : [[texts.facts.memory, bytes(memoryBytes)] as const]),
    [texts.facts.restarts, texts.facts.starts(Math.max(0, starts - 1), failures)],
  ]
}

interface PartProps {
  readonly title: string
  /** What the button beside the title copies; null if there is no button. */
  readonly copied: string | null
  readonly children: ReactNode
}

function Part({ title, copied, children }: PartProps) {
  return (
    <section aria-label={title} className="border-line bg-panel rounded-lg border p-3">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h3 className="font-semibold">{title}</h3>
        {copied !== null && <CopyButton text={copied} label={texts.copy(title)} />}
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
    <dl className="grid items-baseline gap-x-4 gap-y-1 grid-cols-[8rem_minmax(0,1fr)] sm:grid-cols-[12rem_minmax(0,1fr)]">
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
