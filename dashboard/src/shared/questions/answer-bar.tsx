import { Button } from '../ui/button.tsx'
import { type Choice, choices } from './answer.ts'
import { texts } from './texts.ts'

interface AnswerBarProps {
  readonly isQuiet: boolean
  /** `docs → mobile` */
  readonly pair: string
  /** Whether there is something to check first. If so, no answer is highlighted. */
  readonly isRisky?: boolean
  readonly onChoose: (choice: Choice) => void
}

/** Each answer with its key. While `isQuiet`, the buttons stay where they are and do nothing. */
export function AnswerBar({ isQuiet, pair, isRisky = false, onChoose }: AnswerBarProps) {
  return (
    <div role="group" aria-label={texts.answers} className={`flex flex-wrap gap-2 ${isQuiet ? 'opacity-60' : ''}`}>
      {Object.entries(choices).map(([key, choice]) => (
        <Button
          key={key}
          look={choice.decision === 'deny' ? 'danger' : key === 'a' && !isRisky ? 'primary' : 'plain'}
          aria-keyshortcuts={key.toUpperCase()}
          aria-disabled={isQuiet}
          onClick={() => onChoose(choice)}
        >
          {choice.label(pair)}
          <kbd aria-hidden="true" className="rounded-xs border border-current px-1 text-xs max-sm:hidden">
            {key}
          </kbd>
        </Button>
      ))}
    </div>
  )
}
