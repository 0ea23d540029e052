export const CORRIDORS_PATH = '/corridors'
