/** Addresses at which a cloud gives credentials to the machines and containers that run in it. */
const METADATA =
  /(?:^|[/@\s"'([=])\[?(?:(?:::ffff:)?169\.254\.(?:169\.254|170\.2|170\.23|169\.253|0\.23)|fd00:ec2::(?:254|23)|fd20:ce::254|100\.100\.100\.200|168\.63\.129\.16|192\.0\.0\.192|2852039166|0x(?:a9\.?0x)?a9fea9fe|0xa9\.0xfe\.0xa9\.0xfe|0251\.0376\.0251\.0376|169\.16689662|::ffff:a9fe:a9fe|metadata(?:\.google\.internal|\.goog|\.azure\.(?:com|internal)|\.tencentyun\.com|\.platformequinix\.com|\.packet\.net|\.internal)?(?=[:/]|$)|instance-data(?:\.ec2\.internal)?(?=[:/]|$)|169\.254\.169\.254\.nip\.io)/i;

/** Whether a text contains the address of a metadata service. A bare word counts only after a scheme. */
export function namesMetadataService(text: string): boolean {
  const found = METADATA.exec(text)?.[0];
  if (found === undefined) return false;
  return !/^.?\[?(?:metadata|instance-data)$/i.test(found) || /:\/\/(?:metadata|instance-data)\b/i.test(text);
}
