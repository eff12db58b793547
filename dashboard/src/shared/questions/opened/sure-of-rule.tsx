import { Button } from '../../ui/button.tsx'
import { texts } from './texts.ts'

interface SureOfRuleProps {
  readonly rule: string
  readonly team: string
  readonly isForPair: boolean
  readonly onLeave: () => void
  readonly onWrite: () => void
}

/** The confirmation before an answer on a card with warnings adds a rule. */
export function SureOfRule({ rule, team, isForPair, onLeave, onWrite }: SureOfRuleProps) {
  return (
    <div
      role="group"
      aria-label={texts.addThisRule}
      className="border-warn/50 flex flex-col gap-2 rounded-md border p-2"
    >
      <p className="wrap-anywhere">
        {texts.thisLetsUse(team)}
        <code>{rule}</code>
        {isForPair ? texts.withoutAQuestionThisPair : texts.withoutAQuestionAnyAsker}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button ref={(button) => button?.focus()} onClick={onLeave}>
          {texts.backToTheQuestion}
        </Button>
        <Button look="danger" onClick={onWrite}>
          {texts.addTheRule}
        </Button>
      </div>
    </div>
  )
}
