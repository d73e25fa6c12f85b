// Plans the active item, then the next `ahead` items: a policy for protocol 1 of prefetch-sweep, in Java: java ItemsAhead.java
// The JDK has no JSON reader; this policy needs three numbers of a line, which it finds by their names.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.regex.Pattern;

class ItemsAhead {
  private static final Pattern ITEM = Pattern.compile("\\{\"item\":\\d+,\"kind\"");

  private static int number(String line, String key, int standard) {
    var match = Pattern.compile("\"" + key + "\":(\\d+)").matcher(line);
    return match.find() ? Integer.parseInt(match.group(1)) : standard;
  }

  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    int ahead = 3;
    int listed = 0;
    for (String line; (line = lines.readLine()) != null; ) {
      if (line.startsWith("{\"type\":\"begin\"")) {
        ahead = number(line, "ahead", 3);
        listed = (int) ITEM.matcher(line).results().count();
        System.out.println("{\"ready\": 1}");
      } else if (line.startsWith("{\"type\":\"plan\"")) {
        // Each line has only what is new since the line before.
        listed += (int) ITEM.matcher(line).results().count();
        int active = number(line, "activeItem", 0);
        var fetches = new StringBuilder("{\"item\": " + active + "}");
        for (int item = active + 1; item <= active + ahead && item < listed; item++) {
          fetches.append(", {\"item\": " + item + ", \"bytes\": \"ready\", \"priority\": " + (item - active) + "}");
        }
        System.out.println("{\"id\": " + number(line, "id", 0) + ", \"fetches\": [" + fetches + "]}");
      }
    }
  }
}
