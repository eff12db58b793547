import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function DebugScreen() {
  return (
    <Screen title="Debug">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
