package streamingdeepdive;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import streamingdeepdive.app.JavaRuntime;

/**
 * Loads all classes of the library but some, with what their methods take and give, then runs the
 * mains that are named.
 */
final class LoadedClasses {
  private LoadedClasses() {}

  /** Arguments: the classes to leave out, separated by commas; the mains. */
  public static void main(String[] args) throws Exception {
    JavaRuntime.prepare();
    List<String> leftOut = List.of(args[0].split(","));
    int count = 0;
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("streamingdeepdive")) {
      if (!leftOut.contains(type.getSimpleName())) {
        Class.forName(type.getName()).getDeclaredMethods();
        count++;
      }
    }
    System.out.println("loaded " + count);
    for (String main : List.of(args).subList(1, args.length)) {
      Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
  }
}
