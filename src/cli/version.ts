// The version of this Sallyport; a test holds it to package.json's.

export const version = '0.2.0';
