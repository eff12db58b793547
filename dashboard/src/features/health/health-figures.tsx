import type { ReactNode } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { bytes, duration, exact } from '../../shared/format/figures.ts'
import { useNow } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Health = Output<'get_health'>

const phases = { recovering: 'starting', serving: 'serving', stopping: 'stopping' } as const

export function HealthFigures({ health }: { readonly health: Health }) {
  const { memory, eventLoopDelay, store, pool, streamReaders, version, pid } = health
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <Card title={texts.daemon}>
        <Figure name="State" value={phases[health.phase]} />
        <Figure name="Runs for" value={<Uptime since={health.startedAt} />} />
        <Figure name="Version" value={version} />
        <Figure name="Process" value={String(pid)} />
        <Figure name="Memory" value={bytes(memory.rssBytes)} />
        <Figure name="JavaScript heap" value={`${bytes(memory.heapUsedBytes)} of ${bytes(memory.heapTotalBytes)}`} />
      </Card>
      <Card title={texts.eventLoop} note="Delay of the event loop over the last one to two minutes.">
        <Times times={eventLoopDelay} />
      </Card>
      <Card title={texts.store} note="Duration of commits over the last one to two minutes.">
        <Times times={store.commits} />
        <Figure name="Commits" value={exact(store.commits.count)} />
        <Figure name="File" value={bytes(store.fileBytes)} />
        <Figure name="Write-ahead log" value={bytes(store.walBytes)} />
        <Figure name="Attached files" value={bytes(store.attachmentBytes)} />
        {store.disk && <Figure name="Free disk space" value={bytes(store.disk.freeBytes)} />}
        <Figure name="Ends not recorded" value={exact(store.unrecordedEnds)} />
      </Card>
      <Card title={texts.work}>
        <Figure name="Processes" value={`${pool.activeProcesses} of ${pool.maxProcesses}`} />
        <Figure name="Not started after failures" value={exact(health.breakers.length)} />
        <Figure name="Streams followed" value={exact(streamReaders)} />
      </Card>
    </div>
  )
}

function Times({ times }: { readonly times: Health['eventLoopDelay'] }) {
  return (
    <>
      <Figure name="p50" value={ms(times.p50Ms)} />
      <Figure name="p99" value={ms(times.p99Ms)} />
      <Figure name="Longest" value={ms(times.maxMs)} />
    </>
  )
}

function ms(value: number | null): string {
  if (value === null) return 'not measured yet'
  return value < 10 ? `${value.toFixed(1)} ms` : duration(value)
}

function Uptime({ since }: { readonly since: number }) {
  return duration(Math.max(0, useNow() - since))
}

interface CardProps {
  readonly title: string
  readonly note?: string
  readonly children: ReactNode
}

function Card({ title, note, children }: CardProps) {
  return (
    <section className="border-line bg-panel rounded-lg border p-4" aria-label={title}>
      <h2 className="font-semibold">{title}</h2>
      {note && <p className="text-muted text-xs">{note}</p>}
      <dl className="mt-2 flex flex-col gap-1">{children}</dl>
    </section>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-muted">{name}</dt>
      <dd className="text-right tabular-nums wrap-anywhere">{value}</dd>
    </div>
  )
}
