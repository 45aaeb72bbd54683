import type { ModuleMetadata } from '@nestjs/common';
import { type SedaBusModuleOptions, SedaBusModule } from '../../../src/index.js';
import { type Booted, boot } from './boot.js';

/** An application with enhancers. */
export function enhanced(
  metadata: ModuleMetadata,
  options: SedaBusModuleOptions = {},
  ...customise: Parameters<typeof boot> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Booted> {
  const imports = [SedaBusModule.forRoot({ enhancers: true, ...options }), ...(metadata.imports ?? [])];
  return boot({ ...metadata, imports }, ...customise);
}
