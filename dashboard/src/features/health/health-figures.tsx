import type { Output } from '../../shared/api/operations.ts'
import { duration } from '../../shared/format/durations.ts'
import { bytes, exact } from '../../shared/format/figures.ts'
import { FigureCard, FigureLine } from '../../shared/ui/figure-card.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Health = Output<'get_health'>

export function HealthFigures({ health }: { readonly health: Health }) {
  const { memory, eventLoopDelay, store, pool, streamReaders, version, pid } = health
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <FigureCard title={texts.daemon}>
        <FigureLine name={texts.figures.state} value={texts.phases[health.phase]} />
        <FigureLine name={texts.figures.runsFor} value={<Uptime since={health.startedAt} />} />
        <FigureLine name={texts.figures.version} value={version} />
        <FigureLine name={texts.figures.process} value={String(pid)} />
        <FigureLine name={texts.figures.memory} value={bytes(memory.rssBytes)} />
        <FigureLine
          name={texts.figures.heap}
          value={texts.heapOf(bytes(memory.heapUsedBytes), bytes(memory.heapTotalBytes))}
        />
      </FigureCard>
      <FigureCard title={texts.eventLoop} note={texts.eventLoopNote}>
        <Times times={eventLoopDelay} />
      </FigureCard>
      <FigureCard title={texts.store} note={texts.storeNote}>
        <Times times={store.commits} />
        <FigureLine name={texts.figures.commits} value={exact(store.commits.count)} />
        <FigureLine name={texts.figures.file} value={bytes(store.fileBytes)} />
        <FigureLine name={texts.figures.writeAheadLog} value={bytes(store.walBytes)} />
        <FigureLine name={texts.figures.searchIndex} value={bytes(store.indexBytes)} />
        <FigureLine name={texts.figures.attachedFiles} value={bytes(store.attachmentBytes)} />
        {store.disk && <FigureLine name={texts.figures.freeSpace} value={bytes(store.disk.freeBytes)} />}
        <FigureLine name={texts.figures.endsNotRecorded} value={exact(store.unrecordedEnds)} />
      </FigureCard>
      <FigureCard title={texts.work}>
        <FigureLine name={texts.figures.processes} value={texts.processesOf(pool.activeProcesses, pool.maxProcesses)} />
        <FigureLine name={texts.figures.notStarted} value={exact(health.breakers.length)} />
        <FigureLine name={texts.figures.streams} value={exact(streamReaders)} />
      </FigureCard>
    </div>
  )
}

function Times({ times }: { readonly times: Health['eventLoopDelay'] }) {
  return (
    <>
      <FigureLine name="p50" value={ms(times.p50Ms)} />
      <FigureLine name="p99" value={ms(times.p99Ms)} />
      <FigureLine name={texts.figures.longest} value={ms(times.maxMs)} />
    </>
  )
}

function ms(value: number | null): string {
  return value === null ? texts.notMeasuredYet : duration(value)
}

function Uptime({ since }: { readonly since: number }) {
  return duration(Math.max(0, useNow() - since))
}
