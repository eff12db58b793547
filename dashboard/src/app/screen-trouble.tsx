import type { ErrorComponentProps } from '@tanstack/react-router'
import { Screen } from '../shared/ui/screen.tsx'
import { Trouble } from '../shared/ui/states.tsx'
import { texts } from './texts.ts'

/**
 * Shown for a screen that failed; the others still work. After an update of Iris, the files of the old page are gone,
 * and reloading the page helps.
 */
export function ScreenTrouble({ error }: ErrorComponentProps) {
  return (
    <Screen title={texts.thisScreenHasFailed}>
      <Trouble problem={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
    </Screen>
  )
}
