import { dayAndHour } from '../../../shared/format/times.ts'
import { Button } from '../../../shared/ui/button.tsx'
import { Dialog } from '../../../shared/ui/dialog.tsx'
import { laterChoices } from '../later.ts'
import { texts } from './texts.ts'

interface LaterDialogProps {
  /** The deadline of the snoozed question, if there is one, by the clock of this browser. */
  readonly deadline: number | undefined
  readonly onChoose: (until: number) => void
  readonly onClose: () => void
}

/** Until when something is put off. */
export function LaterDialog({ deadline, onChoose, onClose }: LaterDialogProps) {
  const offered = laterChoices(Date.now(), deadline)
  return (
    <Dialog title={texts.laterTitle} onClose={onClose}>
      {offered.length === 0 && <p>{texts.laterNoTime}</p>}
      <ul className="flex flex-col gap-1">
        {offered.map(({ kind, until }, index) => (
          <li key={kind}>
            <Button
              {...(index === 0 && { 'data-first': true })}
              look="quiet"
              className="w-full !justify-between"
              onClick={() => onChoose(until)}
            >
              {texts.laterTo[kind]}
              <span className="text-muted text-xs">{dayAndHour(until)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
