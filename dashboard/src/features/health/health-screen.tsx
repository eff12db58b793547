import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function HealthScreen() {
  return (
    <Screen title="Health">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
