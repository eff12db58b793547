import type { ErrorComponentProps } from '@tanstack/react-router'
import { Screen } from '../shared/ui/screen.tsx'
import { Trouble } from '../shared/ui/states.tsx'
import { texts } from './texts.ts'

/**
 * A screen that failed; the others still work. After an update of Iris its old files are gone: reloading the page
 * helps.
 */
export function ScreenTrouble({ error }: ErrorComponentProps) {
  return (
    <Screen title={texts.thisScreenHasFailed}>
      <Trouble problem={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
    </Screen>
  )
}
