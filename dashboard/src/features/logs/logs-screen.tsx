import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { logLevels, rawLine } from '../../../../src/base/protocol/log-entry.ts'
import { exact } from '../../shared/format/figures.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { LogControls } from './log-controls.tsx'
import { fitting, partsOf, usualLines, type WantedLines } from './log-filter.ts'
import type { LogLine } from './log-lines.ts'
import { LogList } from './log-list.tsx'
import { texts } from './texts.ts'
import { useLog } from './use-log.ts'

export function LogsScreen() {
  const { lines, isPaused, fresh, missed, pause, resume } = useLog()
  const search = useSearch({ from: '/logs' })
  const navigate = useNavigate()
  const wanted = useMemo(() => wantedOf(search), [search])
  const setWanted = (chosen: WantedLines): void => {
    const said = Object.entries(chosen).filter(([name, value]) => value !== usualLines[name as keyof WantedLines])
    const isTyped = chosen.text !== wanted.text || chosen.session !== wanted.session
    void navigate({ to: '/logs', search: Object.fromEntries(said), replace: isTyped })
  }
  const shown = useMemo(() => fitting(lines, wanted), [lines, wanted])
  const parts = useMemo(() => partsOf(lines), [lines])
  const actions = (
    <>
      <Button onClick={isPaused ? resume : pause}>
        <Icon name={isPaused ? 'play' : 'pause'} className="size-4" />
        {isPaused ? texts.resumeWithNew(exact(fresh)) : texts.pause}
      </Button>
      <Button onClick={() => download(shown)} disabled={shown.length === 0}>
        <Icon name="download" className="size-4" />
        {texts.download}
      </Button>
    </>
  )
  return (
    <Screen title={texts.logs} actions={actions}>
      <LogControls wanted={wanted} parts={parts} onChange={setWanted} />
      <p role="status" className="text-muted">
        {texts.ofLinesSinceThe(exact(shown.length), exact(lines.length))}
        {missed > 0 && texts.cameTooFastTo(exact(missed))}
      </p>
      {shown.length > 0 ? <LogList lines={shown} /> : <Nothing hasLines={lines.length > 0} />}
    </Screen>
  )
}

function wantedOf(search: Partial<Record<keyof WantedLines, string>>): WantedLines {
  const level = logLevels.find((name) => name === search.level) ?? usualLines.level
  return { ...usualLines, ...search, level }
}

function Nothing({ hasLines }: { readonly hasLines: boolean }) {
  if (!hasLines) return <Empty title={texts.irisHasSaidNothing} />
  return (
    <Empty title={texts.noLineMatches}>
      <p>{texts.chooseAnotherLevelTeam}</p>
    </Empty>
  )
}

/** The lines that are shown, one JSON object per line, in the format of the log itself. */
function download(lines: readonly LogLine[]): void {
  const address = URL.createObjectURL(
    new Blob([`${lines.map(rawLine).join('\n')}\n`], { type: 'application/x-ndjson' }),
  )
  const link = document.createElement('a')
  link.href = address
  link.download = `iris-log-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.ndjson`
  link.click()
  URL.revokeObjectURL(address)
}
