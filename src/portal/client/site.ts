import './site/copy.ts'
import './site/offline.ts'
import './site/place.ts'
