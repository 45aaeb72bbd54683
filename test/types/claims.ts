/** Whether two types are the same; `any` is the same as nothing but itself. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles if the claim is true: `holds<Same<StageName, string>>()`. Files of claims are compiled and never run. */
export declare function holds<Claim extends true>(...claim: Claim[]): void;
