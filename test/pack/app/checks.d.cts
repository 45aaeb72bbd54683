declare function checks(row: object, loaded: object): Promise<{ readonly passed: boolean }[]>;
export = checks;
