import type { ReactNode } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { bytes, duration, exact } from '../../shared/format/figures.ts'
import { useNow } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Health = Output<'get_health'>

export function HealthFigures({ health }: { readonly health: Health }) {
  const { memory, eventLoopDelay, store, pool, streamReaders, version, pid } = health
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <Card title={texts.daemon}>
        <Figure name={texts.figures.state} value={texts.phases[health.phase]} />
        <Figure name={texts.figures.runsFor} value={<Uptime since={health.startedAt} />} />
        <Figure name={texts.figures.version} value={version} />
        <Figure name={texts.figures.process} value={String(pid)} />
        <Figure name={texts.figures.memory} value={bytes(memory.rssBytes)} />
        <Figure
          name={texts.figures.heap}
          value={texts.heapOf(bytes(memory.heapUsedBytes), bytes(memory.heapTotalBytes))}
        />
      </Card>
      <Card title={texts.eventLoop} note={texts.eventLoopNote}>
        <Times times={eventLoopDelay} />
      </Card>
      <Card title={texts.store} note={texts.storeNote}>
        <Times times={store.commits} />
        <Figure name={texts.figures.commits} value={exact(store.commits.count)} />
        <Figure name={texts.figures.file} value={bytes(store.fileBytes)} />
        <Figure name={texts.figures.writeAheadLog} value={bytes(store.walBytes)} />
        <Figure name={texts.figures.attachedFiles} value={bytes(store.attachmentBytes)} />
        {store.disk && <Figure name={texts.figures.freeSpace} value={bytes(store.disk.freeBytes)} />}
        <Figure name={texts.figures.endsNotRecorded} value={exact(store.unrecordedEnds)} />
      </Card>
      <Card title={texts.work}>
        <Figure name={texts.figures.processes} value={texts.processesOf(pool.activeProcesses, pool.maxProcesses)} />
        <Figure name={texts.figures.notStarted} value={exact(health.breakers.length)} />
        <Figure name={texts.figures.streams} value={exact(streamReaders)} />
      </Card>
    </div>
  )
}

function Times({ times }: { readonly times: Health['eventLoopDelay'] }) {
  return (
    <>
      <Figure name="p50" value={ms(times.p50Ms)} />
      <Figure name="p99" value={ms(times.p99Ms)} />
      <Figure name={texts.figures.longest} value={ms(times.maxMs)} />
    </>
  )
}

function ms(value: number | null): string {
  return value === null ? texts.notMeasuredYet : duration(value)
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
